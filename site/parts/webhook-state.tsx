/** The status of a webhook. */
import type { WebhookRow } from '#domain/webhooks/show-webhook.ts';

const tones = { pending: 'moving', active: 'good', failed: 'bad' } as const;
const words = {
  pending: 'waiting for the endpoint to echo the challenge',
  active: 'active',
  failed: 'the endpoint did not echo the challenge',
} as const;
const reasons = {
  gone: 'disabled: the endpoint responded with 410',
  failing: 'disabled: every delivery failed for three days',
} as const;

export function WebhookState({ webhook: { state, disabledReason } }: { readonly webhook: WebhookRow }) {
  if (disabledReason !== null) return <span class="state bad">{reasons[disabledReason]}</span>;
  return <span class={`state ${tones[state]}`}>{words[state]}</span>;
}
