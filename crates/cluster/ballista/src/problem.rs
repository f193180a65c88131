//! Errors as people read them.

use datafusion::error::DataFusionError;

/// What went wrong, in one piece, with advice where the cause is known and its words are not enough.
pub fn explained(error: &DataFusionError) -> String {
    let said = innermost(error);
    let said = said_by_executor(&said).unwrap_or(said);
    match advice(&said) {
        Some(advice) => format!("{said}\n{advice}"),
        None => said,
    }
}

/// The error at the root: what stands around it tells of the planner's rules, not of the query.
fn innermost(error: &DataFusionError) -> String {
    match error {
        DataFusionError::Context(context, inner)
            if !context.starts_with("Optimizer rule") && context != "type_coercion" =>
        {
            format!("{context}: {}", innermost(inner))
        }
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => innermost(inner),
        DataFusionError::Shared(inner) => innermost(inner),
        DataFusionError::Collection(errors) => errors.iter().map(innermost).collect::<Vec<_>>().join("\n"),
        DataFusionError::Plan(said)
        | DataFusionError::Execution(said)
        | DataFusionError::Configuration(said) => said.clone(),
        DataFusionError::External(inner) => inner.to_string(),
        other => other.to_string(),
    }
}

/// What an executor said, without the wrappings in which it came through the scheduler; none where there are none.
fn said_by_executor(said: &str) -> Option<String> {
    let (job, rest) = said.split_once(" failed: ").filter(|(job, _)| job.starts_with("Job "))?;
    let (_, rest) = rest.rsplit_once("Execution(\"")?;
    let (cause, _) = rest.rsplit_once("\")")?;
    Some(format!("{} ({job})", cause.replace("\\\"", "\"").replace("\\'", "'")))
}

fn advice(said: &str) -> Option<&'static str> {
    if said.contains("rejected by executor")
        || said.contains("no UDF named")
        || said.contains("not provided for scalar function")
    {
        Some(
            "A process of the cluster could not read the plan: most likely it does not know the functions of robomata. \
             Every executor must be a robomata-executor, and the scheduler a robomata-scheduler, of this version: \
             the scheduler's log names the executor.",
        )
    } else if said.contains("another bundle than was asked for") {
        Some(
            "The bundle was pinned when the query was planned, and a process of the cluster found another file of that \
             name. Give every machine the same file, and ask again.",
        )
    } else if said.contains("ConnectError") || said.contains("tcp connect error") {
        Some("Is there a robomata-scheduler at that address?")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_said_without_the_rules_around_it() {
        let cause = DataFusionError::Plan("robots_allowed: crawler must be a text literal".to_owned());
        let error = DataFusionError::Context(
            "Optimizer rule 'simplify_expressions' failed".to_owned(),
            Box::new(cause),
        );
        assert_eq!(explained(&error), "robots_allowed: crawler must be a text literal");
    }

    #[test]
    fn what_an_executor_said_is_unwrapped() {
        let cause = r#"Job 7 failed: Job failed due to stage 0 failed: DataFusionError(Shared(Execution("robots_allowed: \"a\": gone")))"#;
        let error = DataFusionError::Execution(cause.to_owned());
        assert_eq!(explained(&error), "robots_allowed: \"a\": gone (Job 7)");
    }

    #[test]
    fn advice_is_given_where_the_cause_is_known() {
        let missing =
            DataFusionError::Execution("Job 1 failed: There is no UDF named \"robots_allowed\"".to_owned());
        assert!(explained(&missing).contains("must be a robomata-executor"));
        let other = DataFusionError::Execution("out of disk".to_owned());
        assert_eq!(explained(&other), "out of disk");
    }
}
