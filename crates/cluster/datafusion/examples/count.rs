//! Counts the URLs of Parquet files by verdict:
//! `cargo run --example count -- policies.bundle ExampleBot urls.parquet`

use datafusion::prelude::{ParquetReadOptions, SessionContext};

#[tokio::main]
async fn main() -> datafusion::error::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, crawler, files] = arguments.as_slice() else {
        eprintln!("usage: count BUNDLE CRAWLER FILES: Parquet files with a column `url`");
        std::process::exit(2);
    };
    let context = SessionContext::new();
    robomata_datafusion::register(&context);
    context.register_parquet("urls", files, ParquetReadOptions::default()).await?;
    let sql = format!(
        "SELECT robots_verdict('{bundle}', '{crawler}', url)['verdict'] AS verdict, count(*) FROM urls GROUP BY 1 ORDER BY 1"
    );
    context.sql(&sql).await?.show().await
}
