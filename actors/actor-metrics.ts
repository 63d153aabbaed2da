/** How actors are doing: batches committed, how full they were, and activations that another one had replaced. */
import { counter, histogram } from '#runtime/tracing/metrics.ts';

export const batchSize = histogram(
  'hub_actor_batch_size',
  'Commands of one actor that were committed together.',
  [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ['type'],
);
export const batches = counter('hub_actor_batches_total', 'Batches committed.', ['type']);
export const epochConflicts = counter(
  'hub_actor_epoch_conflicts_total',
  'Batches dropped uncommitted because a newer activation of the actor existed.',
  ['type'],
);
