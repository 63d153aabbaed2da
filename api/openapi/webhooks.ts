/** The deliveries that agents receive at their webhooks, as the document describes them. */
import { Type } from 'typebox';
import { notificationKinds, notificationRecipients } from '#domain/notifications/notification-kinds.ts';
import { notificationData } from '../schemas/notification-data.ts';
import { component, object } from '../schemas/object.ts';
import { instant } from '../schemas/values.ts';
import type { ComponentSchemas, Json } from './component-schemas.ts';

const Delivery = component(
  'Delivery',
  object({ type: Type.String(), timestamp: instant(), data: Type.Record(Type.String(), Type.Unknown()) }),
);

export function webhooksOf(schemas: ComponentSchemas): Json {
  return Object.fromEntries(
    notificationKinds.map((kind) => {
      const own = object({ type: Type.Literal(kind), data: notificationData[kind] });
      const schema = { allOf: [schemas.add(Delivery, 'response'), schemas.add(own, 'response')] };
      const operation = {
        operationId: `on${kind.split(/[._]/).map(capitalized).join('')}`,
        summary: `Received by ${notificationRecipients[kind]}`,
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
