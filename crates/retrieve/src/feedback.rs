//! Pseudo-relevance feedback: the question moves towards the passages that are nearest to it (Rocchio 1971, without
//! negative examples).

use crate::{Index, SearchSettings, vectors::unit};

impl Index {
    /// The vector of the question moved towards the mean of the best windows of the first chunks of `nearest`, as far as
    /// the settings say; of length 1. `None` without feedback, or where nothing was found.
    pub(crate) fn after_feedback(
        &self,
        query: &[f32],
        nearest: &[(u32, f32)],
        settings: &SearchSettings,
    ) -> Option<Vec<f32>> {
        let first = nearest.iter().take(settings.feedback);
        let windows: Vec<&[f32]> = first
            .filter_map(|(row, _)| self.window_vector(*row, query))
            .collect();
        if windows.is_empty() || settings.feedback_weight <= 0.0 {
            return None;
        }
        let share = settings.feedback_weight / windows.len() as f32;
        let mut moved: Vec<f32> = query
            .iter()
            .map(|v| v * (1.0 - settings.feedback_weight))
            .collect();
        for window in windows {
            for (sum, value) in moved.iter_mut().zip(window) {
                *sum += share * value;
            }
        }
        unit(&moved)
    }

    /// The vector of the window of a chunk that is nearest to `query`.
    fn window_vector(&self, row: u32, query: &[f32]) -> Option<&[f32]> {
        let (window, _) = self.best_window(row, query)?;
        let place = self.live.rows().get(row as usize)?;
        self.segments.get(place.segment as usize)?.windows.vector(window)
    }
}
