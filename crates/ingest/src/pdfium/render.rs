//! Drawing a page, for recognition.

use super::explain;
use crate::ocr::Image;
use pdfium_render::prelude::{PdfBitmap, PdfBitmapFormat, PdfPage, PdfRenderConfig};

/// Pixels of a picture, at most: a page of A3 at 300 dots per inch has 17 million.
const MAX_PIXELS: f32 = 20e6;

/// Draws a page at `dpi` dots per inch, or as many as fit; with its width and height in points, as drawn.
pub(super) fn render(page: &PdfPage<'_>, dpi: u32) -> Result<(Image, (f32, f32)), String> {
    let (width, height) = (page.width().value, page.height().value);
    if !(width.is_finite() && height.is_finite() && width >= 1.0 && height >= 1.0) {
        return Err(format!("its size of {width} × {height} points cannot be drawn"));
    }
    let wanted = dpi as f32 / 72.0;
    let scale = wanted.min((MAX_PIXELS / (width * height)).sqrt());
    let pixels = |points: f32| ((points * scale) as i32).max(1);
    let failed = |e| format!("it cannot be drawn: {}", explain(&e));
    let (columns, rows) = (pixels(width), pixels(height));
    // A strip thinner than a hair and miles long has few pixels and too many columns.
    if columns.max(rows) > 60_000 {
        return Err(format!("its size of {width} × {height} points cannot be drawn"));
    }
    // PDFium draws no images into bitmaps of one byte a pixel.
    let mut bitmap = PdfBitmap::empty(columns, rows, PdfBitmapFormat::BGRx).map_err(failed)?;
    let config = PdfRenderConfig::new()
        .set_fixed_size(columns, rows)
        .use_grayscale_rendering(true);
    page.render_into_bitmap_with_config(&mut bitmap, &config)
        .map_err(failed)?;
    let image = Image::from_rows(&bitmap.as_raw_bytes(), columns as usize, rows as usize, 4)
        .ok_or_else(|| "its picture does not add up".to_owned())?;
    Ok((image, (width, height)))
}
