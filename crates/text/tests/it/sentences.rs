//! Hard cases of sentence segmentation. `‖` marks where a sentence must end, and nowhere else.

use text::sentences;

fn check(marked: &str) {
    let plain = marked.replace('‖', "");
    let got: Vec<&str> = sentences(&plain).into_iter().map(|span| &plain[span]).collect();
    let want: Vec<&str> = marked.split('‖').map(str::trim).filter(|s| !s.is_empty()).collect();
    assert_eq!(got, want, "{marked:?}");
}

#[test]
fn plain_sentences() {
    for case in [
        "",
        "   \n\n ",
        "One.‖ Two.‖ Three",
        "Is it so?‖ It is!‖ Good.",
        "No full stop at all",
        "We ask why.‖ Then what?!‖ Nothing.",
        "Mice ran.\nThe rest slept.",
    ] {
        let case = case.replace(".\nThe", ".‖\nThe");
        check(&case);
    }
}

#[test]
fn abbreviations_inside_sentences() {
    for case in [
        "Barry et al. showed it.‖ So did we.",
        "As Barry et al. (2014) showed, it holds.",
        "As in Barry et al. 2014, it holds.",
        "As in Barry et al. [3] it holds.",
        "Published by Barry et al. Nature printed it.",
        "See Fig. 2 for details.‖ Others differ.",
        "See Figs. 2 and 3.‖ Others differ.",
        "See Fig. S1 and Fig. A for details.",
        "As Eq. (3) shows, it holds.",
        "As Eqs. 3–5 show, it holds.",
        "Many diets, e.g. Mediterranean ones, help.",
        "Many diets (e.g. DASH) help.‖ Some do not.",
        "One diet, i.e. The Zone, failed.",
        "Mice vs. Rats were compared.",
        "It took approx. 5 min.‖ Then it stopped.",
        "Sample no. 5 was lost.‖ The others were kept.",
        "Catalogue No. A1234 was used.",
        "As ref. 12 says, it holds.",
        "Dr. Smith wrote it.‖ Prof. Jones read it.",
        "J. Smith and A. B. Jones wrote it.",
        "Smith J. A. was the first.",
        "The worm C. elegans lives long.‖ E. coli does not.",
        "Cultures of E. coli were grown.",
        "Lactobacillus spp. were found.‖ The rest was not.",
        "She works at St. Thomas Hospital.",
        "Found on pp. 12–14 of vol. 3 there.",
        "In the U.S. Department of Health it is known.",
        "At 5 p.m. sharp it began.",
        "Given i.v. twice, it helped.",
        "On Jan. 5 it began.‖ On Feb. 6 it ended.",
        "Made by Acme Inc. Boston in 2010.",
        "The ratio (approx. 3:1) held.",
        "Suppl. Table 2 lists them.",
        "Bought from Merck Co. Ltd. Germany in bulk.",
        "Results, cf. Smith, differ.",
        "Women resp. Men were counted.",
    ] {
        check(case);
    }
}

#[test]
fn abbreviations_at_the_end_of_sentences() {
    for case in [
        "It was shown by Barry et al.‖ They further specified it.",
        "It was shown by Barry et al.‖ The rest is open.",
        "We used oils, seeds, etc.‖ Patients liked it.",
        "It was made in the U.S.‖ The rest came later.",
        "He holds a Ph.D.‖ She does too.",
        "The answer was no.‖ The next was yes.",
        "It began at 5 p.m.‖ Patients slept.",
        "They were treated with vitamin C.‖ Patients recovered.",
        "Most were in group B.‖ Others in group A.‖ None in C.",
        "It is drawn in Figure 2B.‖ Mice ran.",
        "Patients had MS.‖ Mice had not.",
        "Life span rose under DR.‖ Mice ate less.",
        "They were shown in panel A.‖ We saw them.",
        "They took vitamin D.‖ We did not.",
    ] {
        check(case);
    }
}

#[test]
fn numbers_and_citations() {
    for case in [
        "The value was 0.05 in all.‖ It held.",
        "It was significant (p < 0.05).‖ We stopped.",
        "It was significant at p < 0.05.‖ We stopped.",
        "It was significant at p < .05 there.",
        "It weighed 5 kg.‖ 12 patients weighed less.",
        "It was seen in 2014.‖ In 2015 it was gone.",
        "This was seen in controls.12 The next was not.",
        "This was seen in controls.12,13 The next was not.",
        "This was seen in controls.12–14 The next was not.",
        "This was seen in controls.¹² The next was not.",
        "It was shown [3].‖ Next it was dropped.",
        "It was shown.[3] Next it was dropped.",
        "It was shown. [3] Next it was dropped.",
        "It was seen in mice.(4) We saw it too.",
        "It was seen in mice.(4,5) We saw it too.",
        "It rose by 57.5–72.5 min/day.‖ Others fell.",
        "Version 2.0.1 was used.‖ It ran.",
        "It rose 1.5-fold (n = 12. CI 1.2–1.9) in all.",
        "It rose by 5%.‖ Then it fell.",
        "At 37 °C.‖ Then it cooled.",
    ] {
        let case = case
            .replace("12 The", "12‖ The")
            .replace("13 The", "13‖ The")
            .replace("14 The", "14‖ The")
            .replace("¹² The", "¹²‖ The")
            .replace("[3] Next", "[3]‖ Next")
            .replace("(4) We", "(4)‖ We")
            .replace("(4,5) We", "(4,5)‖ We");
        check(&case);
    }
}

#[test]
fn starts_that_do_not_look_like_starts() {
    for case in [
        "It was lost.‖ p53 was not.",
        "It was lost.‖ mTOR was not.",
        "It was lost.‖ α-Synuclein was not.",
        "It was lost.‖ β-cells were not.",
        "It was lost.‖ miR-21 was not.",
        "It was lost.‖ (The others were kept.)‖ We went on.",
        "It was lost.‖ “We kept it.”‖ They left.",
        "He said “it was lost.”‖ We went on.",
        "It was lost (see the notes.)‖ We went on.",
        "It was lost. and then found.",
        "“Why?” they asked.‖ We knew.",
        "It is lost!‖ “No,” they said.",
    ] {
        check(case);
    }
}

#[test]
fn headings_lists_and_lines() {
    for case in [
        "2.1. Participants were healthy.‖ They ran.",
        "1. Introduction‖\n\nPapers are long.",
        "Methods‖\n\nWe ran.‖\n\nResults‖\n\nWe won.",
        "A. Design of the trial was simple.",
        "One sentence over\ntwo lines.‖ Another.",
        "One sentence over\r\ntwo lines.‖\r\n\r\nAnother.",
        "They need:‖\n• food‖\n• water‖\n• sleep",
        "They need:‖\n- food‖\n- water",
        "They need three things:‖\n1. Food is one.‖\n2. Water is another.",
        "They need three things:‖\n1) Food‖\n2) Water",
        "The change was large\n– but not in women – and lasted.",
        "A page ends here\u{c}‖ A page begins here.",
    ] {
        check(&case.replace("\u{c}‖", "‖\u{c}"));
    }
}

#[test]
fn addresses_ellipses_and_other_scripts() {
    for case in [
        "See https://doi.org/10.1038/s41586.x for it.‖ Done.",
        "See https://example.org/a.b.‖ Done.",
        "See doi:10.1000/182.‖ Done.",
        "Write to a.b@c.org.‖ We answer.",
        "See www.example.org for it.",
        "It waited ... and waited.‖ Then it left.",
        "It waited...‖ Then it left.",
        "It waited… and left.",
        "As they wrote “it [...] The end”, it was over.",
        "小鼠跑了。‖大鼠没有。‖很好！‖真的？",
        "The word「猫。」‖is here.",
        "It was seen in mice.The next was not.",
        "In Node.js it ran.‖ Here it did not.",
        "He ran.... ‖Then he stopped.",
        "Was it (the first time!) so?‖ Yes.",
    ] {
        check(&case.replace("mice.The", "mice.‖The"));
    }
}
