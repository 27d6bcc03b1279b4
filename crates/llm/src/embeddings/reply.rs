//! Reads the answer of an embeddings server and checks every vector.

use serde::Deserialize;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Position of its text in the request; servers may answer in any order. Some leave it out.
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The unit vectors of `texts` texts, in the order of the request, all of one dimension: `dimension`, if it is known.
///
/// # Errors
/// What is wrong with the answer, for people.
pub(super) fn vectors(body: &str, texts: usize, dimension: Option<usize>) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer =
        serde_json::from_str(body).map_err(|error| format!("it is not an embeddings reply ({error})"))?;
    if answer.data.len() != texts {
        return Err(format!("it holds {} vectors for {texts} texts", answer.data.len()));
    }
    let mut dimension = dimension;
    let mut ordered: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (position, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        let place = ordered
            .get_mut(index)
            .filter(|place| place.is_none())
            .ok_or_else(|| format!("its vectors are numbered wrongly: {index} among {texts}"))?;
        let expected = *dimension.get_or_insert(item.embedding.len());
        if item.embedding.is_empty() || item.embedding.len() != expected {
            return Err(format!("vector {index} has {} numbers instead of {expected}", item.embedding.len()));
        }
        *place = Some(unit(item.embedding).ok_or_else(|| format!("vector {index} is zero or not finite"))?);
    }
    Ok(ordered.into_iter().flatten().collect())
}

/// The vector at length 1; `None` when it has no direction.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    // In f64: the squares of numbers that f32 holds may exceed it.
    let length = vector.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-12 {
        return None;
    }
    for value in &mut vector {
        *value = (f64::from(*value) / length) as f32;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_ordered_by_their_number_and_have_unit_length() {
        let body = r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"usage":{}}"#;
        assert_eq!(vectors(body, 2, None), Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));
        let unnumbered = r#"{"data":[{"embedding":[1e30,0]}]}"#;
        assert_eq!(vectors(unnumbered, 1, Some(2)), Ok(vec![vec![1.0, 0.0]]));
    }

    #[test]
    fn a_wrong_answer_is_refused_with_what_is_wrong() {
        let check = |body: &str, texts: usize, dimension: Option<usize>, part: &str| {
            let error = vectors(body, texts, dimension).expect_err(body);
            assert!(error.contains(part), "{error}");
        };
        check("<html>", 1, None, "not an embeddings reply");
        check(r#"{"data":[]}"#, 1, None, "0 vectors for 1 texts");
        let twice = r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#;
        check(twice, 2, None, "numbered wrongly: 0");
        let far = r#"{"data":[{"index":7,"embedding":[1]}]}"#;
        check(far, 1, None, "numbered wrongly: 7");
        let uneven = r#"{"data":[{"embedding":[1,0]},{"embedding":[1]}]}"#;
        check(uneven, 2, None, "vector 1 has 1 numbers instead of 2");
        check(r#"{"data":[{"embedding":[1,0]}]}"#, 1, Some(3), "instead of 3");
        check(r#"{"data":[{"embedding":[]}]}"#, 1, None, "0 numbers");
        check(r#"{"data":[{"embedding":[0,0]}]}"#, 1, None, "zero or not finite");
        check(r#"{"data":[{"embedding":[1e39,0]}]}"#, 1, None, "not an embeddings reply");
        check(r#"{"data":[{"embedding":[null]}]}"#, 1, None, "not an embeddings reply");
    }
}
