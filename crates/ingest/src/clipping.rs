//! Text that a clipping path hides. Some programs embed whole pages in figures, clipped to the figure: their text is in
//! the file, over other text, but no reader sees it.

use pdfium_render::prelude::*;

/// Whether text of this page may be clipped: it holds a form, as pages inside pages are.
pub(crate) fn may_hide(page: &PdfPage<'_>) -> bool {
    page.objects()
        .iter()
        .any(|object| matches!(object, PdfPageObject::XObjectForm(_)))
}

/// Whether the text that a character belongs to lies outside its clipping path.
pub(crate) fn hides(ch: &PdfPageTextChar<'_>) -> bool {
    let Ok(text) = ch.text_object() else {
        return false;
    };
    let object = PdfPageObject::Text(text);
    let Some(clip) = object.get_clip_path().filter(|clip| !clip.is_empty()) else {
        return false;
    };
    let Ok(bounds) = object.bounds() else {
        return false;
    };
    // Both are in the coordinates of the object's own stream.
    let text = [bounds.left(), bounds.bottom(), bounds.right(), bounds.top()].map(|p| p.value);
    clip.iter().any(|path| {
        let mut area = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for segment in path.iter() {
            let (x, y) = (segment.x().value, segment.y().value);
            area = [area[0].min(x), area[1].min(y), area[2].max(x), area[3].max(y)];
        }
        let known = area[0] <= area[2] && area.iter().chain(&text).all(|v| v.is_finite());
        known && (text[2] < area[0] || text[0] > area[2] || text[3] < area[1] || text[1] > area[3])
    })
}
