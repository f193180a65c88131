"""Keeps the URLs of Parquet files that a crawler may fetch: `with_spark.py BUNDLE AGENT URLS ALLOWED`. The workers
must have the same paths.

Requires Spark 4.1 or later, with robomata installed on the workers. Also runs over Spark Connect (SPARK_REMOTE).
"""

import sys

from pyspark.sql import SparkSession

from robomata.spark import register, robots_verdict

bundle, agent, urls, allowed = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()

# With columns:
frame = spark.read.parquet(urls).withColumn("robots", robots_verdict(bundle, agent, "url"))
frame.where("robots.verdict = 'allow'").drop("robots").write.parquet(allowed)

# With SQL:
register(spark, bundle)
frame.createOrReplaceTempView("urls")
spark.sql(f"SELECT robots_allowed('{bundle}', '{agent}', url) AS allowed, count(*) FROM urls GROUP BY 1 ORDER BY 1").show()
spark.stop()
