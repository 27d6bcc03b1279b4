//! The standard normal distribution and the 97.5 % point of Student's t, as far as intervals need them.

use super::Z95;

/// Beyond this many standard deviations the tail is under 1e-15.
const EDGE: f64 = 8.0;

/// P(Z ≤ x), by the series x + x³/3 + x⁵/15 + … (Marsaglia 2004), exact to about 1e-15.
pub(crate) fn cdf(x: f64) -> f64 {
    if x <= -EDGE {
        return 0.0;
    }
    if x >= EDGE {
        return 1.0;
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0.5 + sum * density).clamp(0.0, 1.0)
}

/// The x with `cdf(x) = p`, by bisection; `None` outside the open interval from 0 to 1.
pub(crate) fn quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let (mut low, mut high) = (-EDGE, EDGE);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

/// The point that Student's t with `freedom` degrees exceeds with probability 2.5 %, at least 1 degree; the
/// normal point beyond 2,000 degrees, where the two differ by less than 0.002.
pub(crate) fn student_975(freedom: usize) -> f64 {
    if freedom > 2_000 {
        return Z95;
    }
    // Largest at one degree: 12.7.
    let (mut low, mut high) = (0.0, 13.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if student_within(middle, freedom.max(1)) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// P(|T| ≤ t), by the finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn student_within(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    // Odd: cos + 2/3 cos³ + (2·4)/(3·5) cos⁵ + …; even: 1 + 1/2 cos² + (1·3)/(2·4) cos⁴ + …; up to cos^(freedom-2).
    let mut power = usize::from(odd);
    let (mut term, mut sum) = (if odd { cosine } else { 1.0 }, 0.0);
    for _ in 0..freedom / 2 {
        sum += term;
        power += 2;
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
    }
    if odd { (angle + sine * sum) * std::f64::consts::FRAC_2_PI } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_scipy_computes_it() {
        // scipy 1.17.1: norm.cdf(x), norm.ppf(p)
        assert!((cdf(-4.0) - 0.000_031_671_241_833).abs() < 1e-13);
        assert!((cdf(-1.0) - 0.158_655_253_931_457).abs() < 1e-13);
        assert!((cdf(0.0) - 0.5).abs() < 1e-13);
        assert!((cdf(0.3) - 0.617_911_422_188_953).abs() < 1e-13);
        assert!((cdf(2.5) - 0.993_790_334_674_224).abs() < 1e-13);
        assert!((quantile(0.001).expect("inside") - -3.090_232_306_168).abs() < 1e-9);
        assert!((quantile(0.025).expect("inside") - -1.959_963_984_540).abs() < 1e-9);
        assert!((quantile(0.5).expect("inside") - 0.0).abs() < 1e-9);
        assert!((quantile(0.9).expect("inside") - 1.281_551_565_545).abs() < 1e-9);
        assert!((quantile(0.999_99).expect("inside") - 4.264_890_793_924).abs() < 1e-9);
        assert_eq!(quantile(0.0), None);
        assert_eq!(quantile(1.0), None);
        assert_eq!(quantile(f64::NAN), None);
    }

    #[test]
    fn student_as_scipy_computes_it() {
        // scipy 1.17.1: t.ppf(0.975, freedom)
        let check = |freedom: usize, expect: f64| {
            let got = student_975(freedom);
            assert!((got - expect).abs() < 1e-8, "{freedom}: {got}");
        };
        check(1, 12.706_204_736);
        check(2, 4.302_652_730);
        check(3, 3.182_446_305);
        check(4, 2.776_445_105);
        check(9, 2.262_157_163);
        check(19, 2.093_024_054);
        check(100, 1.983_971_519);
        check(999, 1.962_341_461);
        check(1_000_000, Z95);
    }
}
