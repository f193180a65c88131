//! Readable error messages.

use datafusion::error::DataFusionError;

/// Formats the cause of an error, with advice if the cause is known and its message is not sufficient.
pub fn explained(error: &DataFusionError) -> String {
    let message = innermost(error);
    let message = executor_message(&message).unwrap_or(message);
    match advice(&message) {
        Some(advice) => format!("{message}\n{advice}"),
        None => message,
    }
}

/// Returns the message of the root error. The errors around it are about the planner's rules, not the query.
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
        DataFusionError::Plan(message)
        | DataFusionError::Execution(message)
        | DataFusionError::Configuration(message) => message.clone(),
        DataFusionError::External(inner) => inner.to_string(),
        other => other.to_string(),
    }
}

/// Extracts an executor's message from the text in which the scheduler wraps it. Returns none if `message` is not
/// wrapped.
fn executor_message(message: &str) -> Option<String> {
    let (job, rest) = message.split_once(" failed: ").filter(|(job, _)| job.starts_with("Job "))?;
    let (_, rest) = rest.rsplit_once("Execution(\"")?;
    let (cause, _) = rest.rsplit_once("\")")?;
    Some(format!("{} ({job})", cause.replace("\\\"", "\"").replace("\\'", "'")))
}

fn advice(message: &str) -> Option<&'static str> {
    if message.contains("rejected by executor")
        || message.contains("no UDF named")
        || message.contains("not provided for scalar function")
    {
        Some(
            "A process of the cluster could not read the plan. Probably it does not have the functions of robomata. \
             Every executor must be a robomata-executor, and the scheduler a robomata-scheduler, of this version. \
             The scheduler's log names the executor.",
        )
    } else if message.contains("another bundle than was asked for") {
        Some(
            "The bundle was pinned when the query was planned, and a process of the cluster found a different file with \
             that name. Give every machine the same file, and run the query again.",
        )
    } else if message.starts_with("DML not supported") {
        Some(
            "robomata-sql writes no files: a failed query would leave an incomplete one. Write the result to standard output \
             with --format csv or json, and redirect it.",
        )
    } else if message.contains("ConnectError") || message.contains("tcp connect error") {
        Some("Is there a robomata-scheduler at that address?")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_reported_without_the_rules_around_it() {
        let cause = DataFusionError::Plan("robots_allowed: crawler must be a text literal".to_owned());
        let error = DataFusionError::Context(
            "Optimizer rule 'simplify_expressions' failed".to_owned(),
            Box::new(cause),
        );
        assert_eq!(explained(&error), "robots_allowed: crawler must be a text literal");
    }

    #[test]
    fn the_message_of_an_executor_is_unwrapped() {
        let cause = r#"Job 7 failed: Job failed due to stage 0 failed: DataFusionError(Shared(Execution("robots_allowed: \"a\": gone")))"#;
        let error = DataFusionError::Execution(cause.to_owned());
        assert_eq!(explained(&error), "robots_allowed: \"a\": gone (Job 7)");
    }

    #[test]
    fn advice_is_given_if_the_cause_is_known() {
        let missing =
            DataFusionError::Execution("Job 1 failed: There is no UDF named \"robots_allowed\"".to_owned());
        assert!(explained(&missing).contains("must be a robomata-executor"));
        let writes = DataFusionError::Plan("DML not supported: COPY".to_owned());
        assert!(explained(&writes).contains("with --format csv or json, and redirect it"));
        let other = DataFusionError::Execution("out of disk".to_owned());
        assert_eq!(explained(&other), "out of disk");
    }
}
