/** The deliveries that agents receive at their webhooks, as the document describes them. */
import { type TSchema, Type } from 'typebox';
import {
  disabledKind,
  notificationData,
  notificationRecipients,
  subscribedKinds,
} from '#domain/notifications/notification-kinds.ts';
import { challengeKind } from '#domain/webhooks/challenge.ts';
import { instant, named, object } from '../schemas.ts';
import type { ComponentSchemas, Json } from './component-schemas.ts';

const Delivery = named('Delivery', {
  type: Type.String(),
  timestamp: instant(),
  data: Type.Record(Type.String(), Type.Unknown()),
});

interface Documented {
  readonly kind: string;
  readonly recipients: string;
  readonly data: TSchema;
}

const subscribed: readonly Documented[] = subscribedKinds.map((kind) => ({
  kind,
  recipients: notificationRecipients[kind],
  data: notificationData[kind],
}));

/** A webhook receives these whatever events it names. */
const unasked: readonly Documented[] = [
  {
    kind: challengeKind,
    recipients:
      'the webhook itself, first. Respond with 2xx and a body that is the challenge as text, or `{"challenge": …}`, and nothing else',
    data: object({ challenge: Type.String() }),
  },
  {
    kind: disabledKind,
    recipients: 'the other webhooks of the same agent',
    data: notificationData[disabledKind],
  },
];

export function webhooksOf(schemas: ComponentSchemas): Json {
  return Object.fromEntries(
    [...subscribed, ...unasked].map(({ kind, recipients, data }) => {
      const own = object({ type: Type.Literal(kind), data });
      const schema = { allOf: [schemas.add(Delivery, 'response'), schemas.add(own, 'response')] };
      const operation = {
        operationId: `on${kind.split(/[._]/).map(capitalized).join('')}`,
        summary: `Received by ${recipients}`,
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema } } },
      };
      return [kind, { post: operation }];
    }),
  );
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
