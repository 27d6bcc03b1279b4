//! The picture of a page, with marks on it.

use super::Area;
use crate::pdfium::Drawn;

/// What a highlighter leaves of red, green and blue, in 255ths: paper turns yellow, ink stays black.
const YELLOW: [u32; 3] = [255, 233, 92];

/// A page as drawn, with `areas` in yellow.
///
/// # Errors
/// When the pixels do not add up.
pub(super) fn png(drawn: &Drawn, areas: &[Area]) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height, pixels) = (drawn.columns, drawn.rows, &drawn.pixels);
    let scale = width as f32 / drawn.size.0;
    let mut marked = vec![false; width * height];
    for area in areas {
        let span = |from: f32, length: f32, most: usize| {
            let end = ((from + length) * scale).ceil() as usize;
            ((from * scale) as usize).min(most)..end.min(most)
        };
        for row in span(area.y, area.height, height) {
            for column in span(area.x, area.width, width) {
                marked[row * width + column] = true;
            }
        }
    }
    let mut rgb = Vec::with_capacity(width * height * 3);
    for (row, marked) in pixels.chunks(pixels.len() / height.max(1)).zip(marked.chunks(width)) {
        for (pixel, marked) in row.chunks_exact(4).zip(marked) {
            let of = |channel: usize| match marked {
                true => (u32::from(pixel[2 - channel]) * YELLOW[channel] / 255) as u8,
                false => pixel[2 - channel],
            };
            rgb.extend([of(0), of(1), of(2)]);
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // By this mark, `types::written` knows what may be replaced.
    encoder.add_text_chunk("Software".to_owned(), "pipeline".to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(out)
}
