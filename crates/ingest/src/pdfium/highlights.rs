//! Highlight annotations on a page.

use pdfium_render::prelude::{
    PdfColor, PdfPage, PdfPageAnnotationCommon as _, PdfPoints, PdfQuadPoints, PdfRect, PdfiumError,
};

/// Who the annotations are by, as PDF readers show it.
const CREATOR: &str = "pipeline";

/// Rectangles with a note, each by its left, upper, right and lower edge in points from the upper left corner of the page.
pub(crate) type Marked<'n> = (Vec<[f32; 4]>, &'n str);

/// Adds a highlight for each group of rectangles, under its note.
///
/// # Errors
/// When PDFium cannot add it.
pub(super) fn add(page: &mut PdfPage<'_>, groups: &[Marked<'_>]) -> Result<(), PdfiumError> {
    let corner = page.boundaries().bounding()?.bounds;
    let (left, top) = (corner.left().value, corner.top().value);
    for (areas, note) in groups {
        let mut highlight = page.annotations_mut().create_highlight_annotation()?;
        highlight.set_stroke_color(PdfColor::new(255, 214, 64, 255))?;
        let mut all: Option<[f32; 4]> = None;
        for [x0, upper, x1, lower] in areas {
            let (x0, x1, y0, y1) = (left + x0, left + x1, top - lower, top - upper);
            // Readers expect the upper corners first, whatever the standard says of their order.
            let corners = PdfQuadPoints::new_from_values(x0, y1, x1, y1, x0, y0, x1, y0);
            highlight.attachment_points_mut().create_attachment_point_at_end(corners)?;
            let [ax0, ay0, ax1, ay1] = all.unwrap_or([x0, y0, x1, y1]);
            all = Some([ax0.min(x0), ay0.min(y0), ax1.max(x1), ay1.max(y1)]);
        }
        if let Some([x0, y0, x1, y1]) = all {
            let [left, bottom, right, top] = [x0, y0, x1, y1].map(PdfPoints::new);
            highlight.set_bounds(PdfRect::new(bottom, left, top, right))?;
        }
        highlight.set_contents(note)?;
        highlight.set_creator(CREATOR)?;
        highlight.set_is_printed(true)?;
    }
    Ok(())
}
