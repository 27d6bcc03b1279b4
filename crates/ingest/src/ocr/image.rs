//! The image of a page in greyscale.

/// Shades of grey, 0 black to 255 white, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// An image from rows of pixels of `depth` bytes, of which the first is the shade; rows may be longer than the
    /// image is wide. `None` where they do not add up.
    pub(crate) fn from_rows(bytes: &[u8], width: usize, height: usize, depth: usize) -> Option<Self> {
        let stride = bytes.len().checked_div(height)?;
        if width == 0 || depth == 0 || stride < width.checked_mul(depth)? {
            return None;
        }
        let mut pixels = Vec::with_capacity(width.checked_mul(height)?);
        for row in bytes.chunks_exact(stride).take(height) {
            pixels.extend(row.iter().step_by(depth).take(width));
        }
        Some(Self { width, height, pixels })
    }

    /// Whether there is anything to see.
    pub(crate) fn has_contrast(&self) -> bool {
        let (low, high) = self.pixels.iter().fold((255, 0), |(low, high), p| (low.min(*p), high.max(*p)));
        high - low.min(high) > 32
    }

    /// The image turned clockwise by `quarters` of a full turn.
    pub(crate) fn turned(&self, quarters: u8) -> Self {
        let (w, h) = (self.width, self.height);
        let (width, height) = if quarters.is_multiple_of(2) { (w, h) } else { (h, w) };
        let from = |x: usize, y: usize| match quarters % 4 {
            0 => (x, y),
            1 => (y, h - 1 - x),
            2 => (w - 1 - x, h - 1 - y),
            _ => (w - 1 - y, x),
        };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = places.map(|(x, y)| from(x, y)).map(|(x, y)| self.pixels[y * w + x]);
        Self { width, height, pixels: pixels.collect() }
    }

    /// The image as a portable grey map.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("P5\n{} {}\n255\n", self.width, self.height).into_bytes();
        out.extend_from_slice(&self.pixels);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_clockwise() {
        // 1 2 3
        // 4 5 6
        let image = Image::from_rows(&[1, 2, 3, 0, 4, 5, 6, 0], 3, 2, 1).expect("adds up");
        let check = |quarters: u8, size: (usize, usize), want: &[u8]| {
            let turned = image.turned(quarters);
            assert_eq!((turned.width, turned.height), size, "{quarters}");
            assert_eq!(turned.pixels, want, "{quarters}");
        };
        check(0, (3, 2), &[1, 2, 3, 4, 5, 6]);
        check(1, (2, 3), &[4, 1, 5, 2, 6, 3]);
        check(2, (3, 2), &[6, 5, 4, 3, 2, 1]);
        check(3, (2, 3), &[3, 6, 2, 5, 1, 4]);
    }

    #[test]
    fn rows_that_do_not_add_up_are_refused() {
        let check = |bytes: usize, (width, height, depth): (usize, usize, usize), want: bool| {
            let image = Image::from_rows(&vec![0; bytes], width, height, depth);
            assert_eq!(image.is_some(), want, "{bytes} bytes, {width} × {height} × {depth}");
        };
        check(6, (3, 2, 1), true);
        check(8, (3, 2, 1), true);
        check(24, (3, 2, 4), true);
        check(23, (3, 2, 4), false);
        check(5, (3, 2, 1), false);
        check(0, (0, 0, 1), false);
        check(0, (1, 1, 1), false);
        check(9, (3, 3, 0), false);
        check(9, (usize::MAX, 1, 4), false);
    }

    #[test]
    fn empty_pages_have_no_contrast() {
        let image = |pixels: &[u8]| Image::from_rows(pixels, pixels.len(), 1, 1).expect("adds up");
        assert!(!image(&[255; 9]).has_contrast());
        assert!(!image(&[250, 255, 240]).has_contrast());
        assert!(image(&[255, 255, 0]).has_contrast());
    }
}
