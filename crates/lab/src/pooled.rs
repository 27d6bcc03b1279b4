//! A CPU-bound judge, run on the pool.

use engine::ComputePool;
use eval::{
    Judge,
    judge::{JudgeError, JudgeInput, JudgeOutput},
};
use std::sync::Arc;
use types::BoxFuture;

/// Runs the futures of a judge on the pool: for CPU-bound judges, whose futures never wait.
pub(crate) struct PooledJudge {
    judge: Arc<dyn Judge>,
    pool: ComputePool,
}

impl PooledJudge {
    pub(crate) fn new(judge: Arc<dyn Judge>, pool: ComputePool) -> Self {
        Self { judge, pool }
    }
}

impl Judge for PooledJudge {
    fn id(&self) -> String {
        self.judge.id()
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        let (judge, input) = (Arc::clone(&self.judge), input.clone());
        let future = async move { judge.judge(&input).await };
        Box::pin(self.pool.drive(true, future))
    }
}
