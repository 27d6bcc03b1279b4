//! What counts as an entity, and when a text holds one.

use proptest::prelude::*;
use text::entities::{Entity, EntityKind, Ground, entities, grounded};

#[test]
fn entities_are_numbers_symbols_and_names() {
    let check = |text: &str, want: &[&str]| {
        let got: Vec<String> = entities(text)
            .into_iter()
            .map(|e| {
                format!(
                    "{}:{}",
                    match e.kind {
                        EntityKind::Number => "n",
                        EntityKind::Symbol => "s",
                        EntityKind::Name => "p",
                    },
                    e.text
                )
            })
            .collect();
        assert_eq!(got, want, "{text:?}");
    };
    check("", &[]);
    check("Exercise improves health.", &[]);
    check("The Methods were sound. However, Results differ.", &[]);
    check("AMPK raises PGC-1α and SIRT1.", &["s:AMPK", "s:PGC-1α", "s:SIRT1"]);
    check(
        "FMD and VO2max and mTOR and p53 and miR-21 and NF-κB",
        &["s:FMD", "s:VO2max", "s:mTOR", "s:p53", "s:miR-21", "s:NF-κB"],
    );
    check("Values of BMI/ fell, ROS- rose.", &["s:BMI", "s:ROS"]);
    check("both NRF1/TFAM and DR/CR act", &["s:NRF1", "s:TFAM", "s:DR", "s:CR"]);
    check("57.5–72.5 min/day of activity", &["n:57.5 min/day", "n:72.5 min/day"]);
    check("In all 3 groups, 120 people lost 5 kg.", &["n:120", "n:5 kg"]);
    check("Moqri et al. agree with Furrer & Handschin.", &["p:Moqri", "p:Furrer", "p:Handschin"]);
    check("Barry (2014) found it.", &["p:Barry", "n:2014"]);
    check("People of the Blue Zones and of The Lancet agree.", &["p:Blue Zones", "p:Lancet"]);
    check("In mice and C. elegans it holds.", &["p:C. elegans"]);
    check("Summary: Both papers agree.", &[]);
    check("Parkinson's disease is common.", &["p:Parkinson's"]);
    check("RESULTS AND DISCUSSION", &[]);
    check("Effects Of Endurance Training", &[]);
    check("The work of McDonald and O’Sullivan stands.", &["p:McDonald", "p:O’Sullivan"]);
    check("Phase II and stage IV", &[]);
    check("It does NOT work.", &[]);
    check("We saw SNPs in RCTs.", &["s:SNPs", "s:RCTs"]);
    check("the Mediterranean diet in Okinawa", &["p:Mediterranean", "p:Okinawa"]);
}

fn entity(kind: EntityKind, text: &str) -> Entity {
    Entity { kind, text: text.to_owned(), span: 0..text.len() }
}

#[test]
fn entities_are_looked_up_by_what_they_mean() {
    use EntityKind::{Name, Number, Symbol};
    let check = |kind, text: &str, haystack: &str, want: bool| {
        assert_eq!(grounded(&entity(kind, text), haystack), want, "{text:?} in {haystack:?}");
    };
    check(Number, "1,000", "of 1000 people", true);
    check(Number, "0.5", "p < .5", true);
    check(Number, "5 kg", "lost 5 kilograms", true);
    check(Number, "5 kg", "lost 5 mg", false);
    check(Number, "5 kg", "group 5", true);
    check(Number, "57.5 min/day", "57.5–72.5 min/day", true);
    check(Number, "57.5–72.5 min/day", "from 57.5 to 72.5 minutes per day", true);
    check(Number, "57.5–73.5 min/day", "from 57.5 to 72.5 minutes per day", false);
    check(Number, "12", "SIRT12 and 120", false);
    check(Symbol, "PGC-1α", "the PGC1α axis", true);
    check(Symbol, "PGC-1α", "pgc-1alpha", true);
    check(Symbol, "IL-6", "IL-60 and IL-16", false);
    check(Symbol, "NRF1/TFAM", "NRF1 and TFAM", true);
    check(Symbol, "NRF1/TFAM", "NRF1 alone", false);
    check(Symbol, "ROS-", "ROS-mediated damage", true);
    check(Symbol, "FMDs", "an FMD", true);
    check(Symbol, "FMD", "two FMDs", true);
    check(Symbol, "VO2max", "VO 2 max rose", true);
    check(Symbol, "AMP", "AMPK rose", false);
    check(Name, "Moqri", "Moqri et al.", true);
    check(Name, "Moqri", "by others", false);
    check(Name, "Kocoğlu", "Kocoglu et al.", true);
    check(Name, "Blue Zones", "a blue zone", true);
    check(Name, "Parkinson's", "Parkinson disease", true);
    check(Name, "C. elegans", "Caenorhabditis elegans", true);
    check(Name, "Barry", "Barryville", false);
}

#[test]
fn several_texts_make_one_ground() {
    let mut ground = Ground::new("AMPK in 2014");
    ground.add("by Barry");
    for e in entities("In work by Barry (2014), AMPK rose") {
        assert!(ground.holds(&e), "{e:?}");
    }
}

proptest! {
    #[test]
    fn a_text_grounds_its_own_entities(text in "([A-Z]?[a-z]{1,6}|[A-Z]{1,4}[0-9]?|[0-9]{1,4}(\\.[0-9])?|[.,;:()/–-]| |kg|α|et al\\.|\\PC){0,30}") {
        let ground = Ground::new(&text);
        let mut last = 0;
        for e in entities(&text) {
            prop_assert!(e.span.start >= last && text.get(e.span.clone()).is_some());
            prop_assert!(ground.holds(&e), "{:?}", e);
            last = e.span.end;
        }
    }
}
