use super::*;

fn shown(text: &str) -> Vec<String> {
    quantities(text)
        .iter()
        .map(|q| {
            format!("{}{}{}", q.value, q.unit.as_ref().map_or("", |_| " "), q.unit.as_deref().unwrap_or(""))
        })
        .collect()
}

#[test]
fn numbers_are_read_with_their_units() {
    let check = |text: &str, want: &[&str]| assert_eq!(shown(text), want, "{text:?}");
    check("", &[]);
    check("57.5–72.5 min/day", &["57.5 min/day", "72.5 min/day"]);
    check("from 5 to 10 kg", &["5 kg", "10 kg"]);
    check("5, 10, and 20 mg/kg", &["5 mg/kg", "10 mg/kg", "20 mg/kg"]);
    check("12.3 ± 4.5 kg/m2", &["12.3 kg/m2", "4.5 kg/m2"]);
    check("kg/m² of 30 kg/m²", &["30 kg/m2"]);
    check("20 to 30%", &["20 %", "30 %"]);
    check("5 per cent, 6 percent, 7 %", &["5 %", "6 %", "7 %"]);
    check("1,000 and 10 000 participants", &["1000", "10000"]);
    check("10\u{202f}000 steps/day", &["10000 step/day"]);
    check("p < .05, P = 0.001", &["0.05", "0.001"]);
    check("1.2 × 10−3 and 1.2 x 10^-3 and 1.2 × 10⁻³ and 1.2e-3", &["0.0012"; 4]);
    check("2 × 105 cells, 3 × 10 min", &["200000", "3", "10 min"]);
    check("10^6 CFU/mL", &["1000000 CFU/mL"]);
    check("a change of −5 kg (-0.3)", &["-5 kg", "-0.3"]);
    check("30 minutes per day, 3 sessions per week", &["30 min/day", "3 session/week"]);
    check("45 mL·kg−1·min−1 and 45 ml/kg/min and 45 ml kg-1 min-1", &["45 mL/kg/min"; 3]);
    check("a 12-week, 20-m, 3-fold, 8-item test", &["12 week", "20 m", "3 fold", "8"]);
    check("5 µg/mL 5 μg/ml", &["5 μg/mL", "5 μg/mL"]);
    check("SIRT1, IL-6, COVID-19, 3T3, 5-HT, H2O, p53, VO2max", &[]);
    check("shown [3] and [12,13] and [4–6]", &[]);
    check("https://doi.org/10.1038/s41586-020-1 doi:10.1000/182 a.b12@c.org", &[]);
    check("1. First\n2) Second", &[]);
    check("Moqri 2023b, the 10th", &["2023", "10"]);
    check("twelve weeks, Two groups", &["12 week", "2"]);
    check("65-year-old women at 37 °C", &["65 year", "37 °C"]);
    check("98°F, 98 degrees Fahrenheit", &["98 °F", "98 °F"]);
    check("120/80 mmHg", &["120 mmHg", "80 mmHg"]);
    check("version 0.8.2 of the tool", &[]);
    check("12·5 kg", &["12.5 kg"]);
    check(
        "1.5 million men, 2 billion tonnes, 5 Hundred, 3-thousand kg",
        &["1500000", "2000000000", "500", "3000 kg"],
    );
    check("20 millionaires, 3 in a million, 2020 thousands of men", &["20", "3", "2020"]);
    check(
        "1.5 to 2 million; 3 and 2 million; 10–20 thousand",
        &["1500000", "2000000", "3", "2000000", "10000", "20000"],
    );
    check("口服500mg维生素", &["500 mg"]);
    check("睡眠时间增加了42分钟，对照组5", &["42", "5"]);
    check("5 in 10 men", &["5", "10"]);
    check("Ninety-six of one hundred, twenty–one days", &["96", "21 day"]);
    check("a thirty-two-week trial, twenty two", &["32 week", "20", "2"]);
    // A comma before decimals: by the language, or where the digits leave no doubt.
    check("Die Rate von 2,9 mg ist in der Gruppe 1.200,5 kg und 3.000", &["2.9 mg", "1200.5 kg", "3000"]);
    check("La reducción de la presión fue de 12,5 mmHg y 0.4 %", &["12.5 mmHg", "0.4 %"]);
    check("p = 0,05 of 1.234,5 mg in weeks 2,9 and 1,000", &["0.05", "1234.5 mg", "2", "9", "1000"]);
    check("٤٢ %, ４２％, ४२ %, 𝟒𝟐 %, ⁴² %, ④② %, ₄₂ %", &["42 %"; 7]);
    check("٤٢٫٥ ٪ (⁴².⁵ kg)", &["42.5 %", "42.5 kg"]);
    check("10⁻³ of 30 kg/m² as shown⁴²", &["10", "30 kg/m2"]);
    check("5 kg^-2 or 5 m^2 or 3 ℃-1", &["5 /kg2", "5 m2", "3 /°C"]);
    check("denaturation 94°-30″, annealing 60°-1′ 30″", &["94 °", "30", "60 °", "1", "30"]);
    check(
        "(longitude 112°57′ to 114°3′, latitude 22°26′ to 23°20′)",
        &["112 °", "57", "114 °", "3", "22 °", "26", "23 °", "20"],
    );
    check("flexion of 5°-2° and 5 kg-2 kg", &["5 °", "2 °", "5 kg", "2 kg"]);
}

#[test]
fn a_text_has_the_language_that_is_given() {
    let values = |language| -> Vec<f64> {
        let found = quantities_in("2,9 mmHg", language);
        found.iter().map(|quantity| quantity.value).collect()
    };
    assert_eq!(values(Some("es")), [2.9]);
    assert_eq!(values(Some("en")), [2.0, 9.0]);
    assert_eq!(values(None), [2.0, 9.0]);
}

#[test]
fn amounts_agree_by_value_and_unit() {
    let check = |a: &str, b: &str, want: bool| {
        assert_eq!(quantities(a)[0].agrees(&quantities(b)[0]), want, "{a:?} {b:?}");
    };
    check("1,000", "1000", true);
    check("0.5", ".5", true);
    check("5 mg", "5 milligrams", true);
    check("5 mg", "5", true);
    check("5 mg", "5 kg", false);
    check("5 mg", "5.1 mg", false);
}
