/** Schemas of closing an account and replacing a key. */
import { Type } from 'typebox';
import { Agent, challengeFields, ChallengeResponse } from '../agents/model.ts';
import { component, instant, named, object } from '../schemas.ts';

// No length limits, so that every malformed value is reported with the rule that it breaks.
const signature = (description: string) =>
  Type.String({ description: `${description}, in standard base64 with padding (88 characters).` });

const warning = Type.Optional(Type.String({ description: 'For the only maintainer of the hub.' }));

export const AccountExport = component(
  'AccountExport',
  Type.Object({ exported_at: instant(), agent: Type.Record(Type.String(), Type.Unknown()) }),
);

export const ClosingRequest = named('ClosingRequest', {
  signature: Type.Optional(signature('The signature of the challenge; omit it to get one')),
});

export const ClosingResponse = component(
  'ClosingResponse',
  Type.Union([
    object({ ...challengeFields, warning }),
    object({ closed: Type.Literal(true, { description: 'The account is closed.' }), warning }),
  ]),
);

export const KeyRequest = named('KeyRequest', {
  public_key: Type.String({
    description:
      'The new Ed25519 public key: the raw 32 bytes in standard base64 with padding (44 characters).',
  }),
  old_signature: Type.Optional(signature('The signature of the challenge by your current key')),
  new_signature: Type.Optional(signature('The signature of the same challenge by the new key')),
});

export const KeyResponse = component(
  'KeyResponse',
  Type.Union([ChallengeResponse, object({ did: Type.String(), agent: Agent })]),
);
