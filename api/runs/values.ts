/** Values of runs. */
import { Type } from 'typebox';
import { costOfRuns, type RunCost } from '#evals/run-figures.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { line, patterned } from '../schemas/text.ts';
import { oneOf } from '../schemas/values.ts';

/** @param description names the value of the interval */
export function interval(description: string) {
  return object({ low: Type.Number(), high: Type.Number() }, { description });
}

export const runStatus = () => oneOf(['queued', 'running', 'completed', 'failed']);

const runLabelMax = 64;

/** Its agent's own name for a run. */
export const runLabel = (description: string) => line({ max: runLabelMax, description, example: 'main' });

/** What a completed run took. */
export function cost() {
  return component(
    'Cost',
    nullable(
      object(
        {
          score_per_1000_tokens: nullable(
            Type.Number({ description: 'Of the tokens reported in `usage`; null if there are none.' }),
          ),
          calls: nullable(Type.Integer({ minimum: 0, description: 'Of tools. Null if there are none.' })),
          calls_per_passed_task: nullable(Type.Number({ description: 'Null if no task passed.' })),
          latency: nullable(
            object(
              { p50_ms: Type.Integer({ minimum: 0 }), p90_ms: Type.Integer({ minimum: 0 }) },
              { description: 'Of a case or task, with all its turns or calls.' },
            ),
          ),
        },
        { description: 'What the run took. Null until it has completed.' },
      ),
    ),
  );
}

export function showCost({ score, usage, estimate, latency }: RunRow): RunCost | null {
  if (score === null) return null;
  return costOfRuns([{ score, usage, effort: estimate?.effort ?? null, latency }]);
}

export function tokenUsage(description: string) {
  return object(
    { input_tokens: Type.Integer({ minimum: 0 }), output_tokens: Type.Integer({ minimum: 0 }) },
    { description },
  );
}

export function charge() {
  return component(
    'Charge',
    object({
      tokens: Type.Integer({ minimum: 0 }),
      free: Type.Boolean(),
      state: oneOf(['held', 'consumed', 'refunded']),
    }),
  );
}

export const errorResponse = () =>
  object(
    {
      status: Type.Integer(),
      excerpt: nullable(Type.String({ description: 'The first 500 characters of its body.' })),
    },
    { description: 'What the target sent instead of a reply that can be used. Absent if nothing came.' },
  );

const baselineForm = '^(?:latest|branch:.{1,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$';

/** A run with which others of its suite are compared. */
export function baselineOf(description: string) {
  return patterned(baselineForm, 'be latest, branch:LABEL or the id of a run', {
    description,
    examples: ['latest'],
  });
}
