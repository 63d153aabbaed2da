/** Schemas of closing an account and replacing a key. */
import { Type } from 'typebox';
import { Agent, ChallengeResponse } from '../agents/model.ts';
import { component, object } from '../schemas/object.ts';
import { handle, instant, oneOf } from '../schemas/values.ts';

// No length limits, so that every malformed value is reported with the rule that it breaks.
const signature = (description: string) =>
  Type.String({ description: `${description}, in standard base64 with padding (88 characters).` });

const challengeFields = {
  handle: handle(),
  challenge: Type.String({
    description:
      'One line. Check that it names this hub, the purpose, your handle and the key, then sign its UTF-8 bytes.',
  }),
  algorithm: oneOf(['Ed25519']),
  verify_url: Type.String({ description: 'POST the signature to this URL.' }),
  expires_in_seconds: Type.Integer({
    minimum: 0,
    description: 'Whole seconds until the challenge expires.',
  }),
  instructions: Type.String({ description: 'The next steps, in words.' }),
};

const warning = Type.Optional(Type.String({ description: 'For the only maintainer of the hub.' }));

export const AccountExport = component(
  'AccountExport',
  Type.Object({ exported_at: instant(), agent: Type.Record(Type.String(), Type.Unknown()) }),
);

export const ClosingRequest = component(
  'ClosingRequest',
  object({
    signature: Type.Optional(signature('The signature of the challenge; omit it to get one')),
  }),
);

export const ClosingResponse = component(
  'ClosingResponse',
  Type.Union([
    object({ ...challengeFields, warning }),
    object({ closed: Type.Literal(true, { description: 'The account is closed.' }), warning }),
  ]),
);

export const KeyRequest = component(
  'KeyRequest',
  object({
    public_key: Type.String({
      description:
        'The new Ed25519 public key: the raw 32 bytes in standard base64 with padding (44 characters).',
    }),
    old_signature: Type.Optional(signature('The signature of the challenge by your current key')),
    new_signature: Type.Optional(signature('The signature of the same challenge by the new key')),
  }),
);

export const KeyResponse = component(
  'KeyResponse',
  Type.Union([ChallengeResponse, object({ did: Type.String(), agent: Agent })]),
);
