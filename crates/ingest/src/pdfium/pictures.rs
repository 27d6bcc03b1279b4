//! Images on pages, pages rendered as images, and text that a clipping path hides: some programs embed whole pages in
//! figures, clipped to the figure, whose text is in the file, over other text, but no reader sees it.

use super::{Fonts, Opened, Recognised, explain};
use crate::glyph::Layer;
use crate::ocr::Image;
use crate::{OcrSettings, ocr, script};
use pdfium_render::prelude::*;

/// Pixels of a picture, at most: a page of A3 at 300 dots per inch has 17 million.
const MAX_PIXELS: f32 = 20e6;

/// Whether a picture stands on the page, by itself or within a form.
pub(super) fn are_on(page: &PdfPage<'_>) -> bool {
    let mut budget = 500;
    page.objects().iter().take(budget).any(|o| shows_image(&o, 4, &mut budget))
}

/// The same of an object: `depth` forms are looked into, and `budget` objects in all.
fn shows_image(object: &PdfPageObject<'_>, depth: u8, budget: &mut usize) -> bool {
    *budget = budget.saturating_sub(1);
    if object.as_image_object().is_some() {
        return true;
    }
    let Some(form) = object.as_x_object_form_object().filter(|_| depth > 0) else {
        return false;
    };
    let most = *budget;
    form.iter().take(most).any(|o| shows_image(&o, depth - 1, budget))
}

/// Puts what is recognised on a page in the place of its characters; whether there was any.
pub(super) fn recognise(
    page: &PdfPage<'_>,
    number: u32,
    settings: &OcrSettings,
    fonts: &mut Fonts,
    opened: &mut Opened,
    layers: &mut Vec<Layer>,
) -> bool {
    let font = fonts.of_recognised();
    let read = draw(page, settings.dpi, MAX_PIXELS, true).and_then(|drawn| {
        let image = Image::from_rows(&drawn.pixels, drawn.columns, drawn.rows, 4)
            .ok_or_else(|| "its picture does not add up".to_owned())?;
        ocr::read(&image, drawn.size, font, settings)
    });
    match read {
        Ok(reading) if reading.layer.glyphs.is_empty() => false,
        Ok(reading) => {
            opened.recognised.push(Recognised { page: number, confidence: reading.confidence });
            *layers = vec![reading.layer];
            script::unify(layers);
            true
        }
        Err(why) => {
            opened.unrecognised.push((number, why));
            false
        }
    }
}

/// A page as drawn.
pub(crate) struct Drawn {
    /// Four bytes a pixel, blue first, row by row.
    pub(crate) pixels: Vec<u8>,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    /// Its width and height in points.
    pub(crate) size: (f32, f32),
}

/// Draws a page at `dpi` dots per inch, or as many as give `most` pixels.
///
/// # Errors
/// Why it cannot be drawn.
pub(super) fn draw(page: &PdfPage<'_>, dpi: u32, most: f32, grey: bool) -> Result<Drawn, String> {
    let (width, height) = (page.width().value, page.height().value);
    if !(width.is_finite() && height.is_finite() && width >= 1.0 && height >= 1.0) {
        return Err(format!("its size of {width} × {height} points cannot be drawn"));
    }
    let wanted = dpi as f32 / 72.0;
    let scale = wanted.min((most / (width * height)).sqrt());
    let pixels = |points: f32| ((points * scale) as i32).max(1);
    let failed = |e| format!("it cannot be drawn: {}", explain(&e));
    let (columns, rows) = (pixels(width), pixels(height));
    // A strip thinner than a hair and miles long has few pixels and too many columns.
    if columns.max(rows) > 60_000 {
        return Err(format!("its size of {width} × {height} points cannot be drawn"));
    }
    // PDFium draws no images into bitmaps of one byte a pixel.
    let mut bitmap = PdfBitmap::empty(columns, rows, PdfBitmapFormat::BGRx).map_err(failed)?;
    let config = PdfRenderConfig::new().set_fixed_size(columns, rows).use_grayscale_rendering(grey);
    page.render_into_bitmap_with_config(&mut bitmap, &config).map_err(failed)?;
    Ok(Drawn {
        pixels: bitmap.as_raw_bytes(),
        columns: columns as usize,
        rows: rows as usize,
        size: (width, height),
    })
}

/// Whether text of this page may be clipped: it holds a form, as pages inside pages are.
pub(super) fn may_hide(page: &PdfPage<'_>) -> bool {
    page.objects().iter().any(|object| matches!(object, PdfPageObject::XObjectForm(_)))
}

/// Whether the text that a character belongs to lies outside its clipping path.
pub(super) fn hides(ch: &PdfPageTextChar<'_>) -> bool {
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
