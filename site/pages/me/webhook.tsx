/** `/me/webhooks/{id}`: a webhook, whether it works, and its deliveries. */
import { challengeKind } from '#domain/webhooks/challenge.ts';
import { subscribedKinds } from '#domain/notifications/notification-kinds.ts';
import {
  type DeliveryRow,
  listDeliveries,
  showWebhook,
  type WebhookRow,
} from '#domain/webhooks/show-webhook.ts';
import { page, rowsAsked } from '../../page.ts';
import { Moment } from '../../parts/dates.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Form } from '../../parts/form.tsx';
import { Back } from '../../parts/link.tsx';
import { Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
import { OwnerFrame } from '../../parts/owner-frame.tsx';
import { WebhookState } from '../../parts/webhook-state.tsx';

export const webhook = page({
  path: '/me/webhooks/:id',
  access: 'owner',
  params: { id: 'id' },
  query: { cursor: 'cursor' },
  forms: {
    verify: { call: 'POST /v1/webhooks/:id/verify', done: 'A challenge is on its way to your endpoint.' },
    retry: {
      call: 'POST /v1/webhooks/:id/deliveries/:delivery_id/retry',
      done: 'The delivery is on its way again.',
    },
  },
  load: async (ctx, { params, query }) => {
    const key = { webhookId: params.id };
    const [shown, deliveries] = await Promise.all([
      showWebhook(ctx, key),
      listDeliveries(ctx, { ...key, ...rowsAsked(query) }),
    ]);
    return { shown, deliveries };
  },
  show: ({ shown, deliveries: { items, nextCursor } }) => ({
    title: 'Webhook',
    body: (
      <OwnerFrame>
        <Back to="/me/webhooks">Webhooks</Back>
        <h1>Webhook</h1>
        <Facts shown={shown} />
        <h2 class="spaced">Deliveries</h2>
        <p class="soft small">
          Newest first. Open one to see its body or to send it again. Finished deliveries are kept for seven
          days.
        </p>
        <Rows items={items} empty="Nothing has been delivered yet." nextCursor={nextCursor}>
          {(delivery) => <Delivery delivery={delivery} isActive={isActive(shown)} />}
        </Rows>
      </OwnerFrame>
    ),
  }),
});

function isActive({ state, disabledAt }: WebhookRow): boolean {
  return state === 'active' && disabledAt === null;
}

function Facts({ shown }: { readonly shown: WebhookRow }) {
  const { url, events, failingSince, lastDeliveredAt } = shown;
  return (
    <>
      <dl class="facts-grid">
        <Fact name="URL">
          <code>{url}</code>
        </Fact>
        <Fact name="State">
          <WebhookState webhook={shown} />
        </Fact>
        <Fact name="Notifies of">
          {events.length === subscribedKinds.length ? 'everything' : events.join(', ')}
        </Fact>
        <Fact name="Last success">
          {lastDeliveredAt === null ? 'never' : <Moment at={lastDeliveredAt} />}
        </Fact>
        {failingSince === null ? null : (
          <Fact name="Failing since">
            <Moment at={failingSince} />
          </Fact>
        )}
      </dl>
      {isActive(shown) ? null : (
        <div class="actions">
          <Form name="verify" submit="Verify" inline about="the endpoint" />
          <p class="soft small">The hub sends a challenge, which the endpoint must echo.</p>
        </div>
      )}
    </>
  );
}

const tones = { pending: 'moving', delivered: 'good', failed: 'bad', dropped: 'bad' } as const;

interface DeliveryProps {
  readonly delivery: DeliveryRow;
  /** Whether anything is sent to the webhook. */
  readonly isActive: boolean;
}

function Delivery({ delivery, isActive: isSendable }: DeliveryProps) {
  const { id, kind, createdAt, status, data } = delivery;
  const canRetry = isSendable && status !== 'pending' && kind !== challengeKind;
  return (
    <li>
      <details class="grow">
        <summary>
          <span class="title">{kind}</span>
          <span class="meta">
            <Moment at={createdAt} /> · <Attempts delivery={delivery} />
          </span>
        </summary>
        <pre class="wrap" tabIndex={0}>
          {JSON.stringify({ type: kind, timestamp: createdAt.toISOString(), data }, null, 2)}
        </pre>
        {canRetry ? (
          <div class="actions">
            <Form
              name="retry"
              submit="Send again"
              inline
              tone="plain"
              hidden={{ delivery_id: id }}
              about={`${kind} of ${createdAt.toISOString()}`}
            />
          </div>
        ) : null}
      </details>
      <span class={`state ${tones[status]}`}>{status}</span>
    </li>
  );
}

function Attempts({ delivery: { attempts, responseStatus, error, nextAttemptAt } }: DeliveryPart) {
  const last = responseStatus === null ? '' : `, the last response was ${responseStatus}`;
  return (
    <>
      {attempts === 0 ? 'not sent yet' : count(attempts, 'attempt')}
      {last}
      {error === null ? '' : ` (${error.replaceAll('_', ' ')})`}
      {attempts === 0 || nextAttemptAt === null ? null : (
        <>
          , again on <Moment at={nextAttemptAt} />
        </>
      )}
    </>
  );
}

type DeliveryPart = Pick<DeliveryProps, 'delivery'>;
