/** The figures of a run as one record of Every Eval Ever, whose schema wants texts in every `additional_details`. */
import { roundRate } from '../rates.ts';
import { type ExportedRun, safeJson } from './run-export.ts';

/** The version of `eval.schema.json`. */
const everyEvalEverVersion = '0.3.0';

/** @param at when the record is made */
export async function* exportEveryEvalEver(run: ExportedRun, at: Date): AsyncGenerator<string> {
  const { suite, interval } = run;
  const counted = run.items()[Symbol.asyncIterator]();
  let items = 0;
  while ((await counted.next()).done !== true) items += 1;
  const retrieved = String(Math.floor(at.getTime() / 1_000));
  const model = { name: run.model ?? run.agent, id: run.model ?? run.agent };
  const timestamp = String(Math.floor(run.finishedAt.getTime() / 1_000));
  yield safeJson({
    schema_version: everyEvalEverVersion,
    evaluation_id: `${suite.name}/${model.id}/${retrieved}`,
    evaluation_timestamp: timestamp,
    retrieved_timestamp: retrieved,
    source_metadata: {
      source_name: 'Agent Hub',
      source_type: 'evaluation_run',
      source_organization_name: new URL(run.hub).hostname,
      source_organization_url: run.hub,
      // The owner of a suite may be the one who runs it.
      evaluator_relationship: run.product === 'suite-run' ? 'other' : 'third_party',
      additional_details: { run_id: run.id, product: run.product, agent: run.agent },
    },
    eval_library: { name: 'agent-hub', version: suite.version },
    // The hub knows a model by its name only.
    model_info: {
      ...model,
      additional_details: { agent: run.agent, deployment_type: 'unknown', model_availability: 'unknown' },
    },
    evaluation_results: [
      {
        evaluation_name: suite.name,
        source_data: {
          dataset_name: suite.name,
          source_type: 'other',
          additional_details: { version: suite.version, items: String(items) },
        },
        evaluation_timestamp: timestamp,
        metric_config: {
          evaluation_description: `The score of ${suite.name} ${suite.version}`,
          lower_is_better: false,
          score_type: 'continuous',
          min_score: 0,
          max_score: 100,
        },
        score_details: {
          score: roundRate(run.score),
          details: {
            trials: String(run.trials),
            cancelled: String(run.cancelled),
            cases_judged_by_runner: String(run.judgedCases.length),
            cases_with_lost_assertions: String(run.partialCases.length),
            cases_overruled: String(run.overruledCases.length),
          },
          uncertainty: {
            confidence_interval: { lower: interval.low, upper: interval.high, confidence_level: 0.95 },
            num_samples: items,
          },
        },
      },
    ],
  });
}
