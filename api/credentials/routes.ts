/** Credentials: results of runs in a form that others can check, and the hub's keys. */
import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import {
  addAgentCredential,
  agentCredentialsMax,
  checkAgentCredential,
  listAgentCredentials,
  removeAgentCredential,
  type ShownCredential as AgentCredential,
} from '#domain/credentials/agent-credentials.ts';
import type { ActingAgent } from '#domain/context.ts';
import { issueCredential } from '#domain/credentials/issue-credential.ts';
import { showIssuerDocument } from '#domain/credentials/issuer.ts';
import { type CredentialUrls, showStatusList } from '#domain/credentials/status-list.ts';
import { strikeRun } from '#domain/credentials/strike-run.ts';
import { verifyCredential } from '#domain/credentials/verify-credential.ts';
import { claimantOfCaller } from '../access/read-turns.ts';
import { type Call, respond, respondPrivately } from '../endpoint.ts';
import { Run, showRun, interval } from '../runs/model.ts';
import { component, handle, instant, named, nullable, object, patterned, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';
import { reasonToAgent } from '../moderation/model.ts';
import { edge, fields, input, ok, replies } from '../plugins/edge.ts';

/** Their form is that of the W3C, and may have more fields. */
const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const Credential = component(
  'Credential',
  anyObject('A W3C Verifiable Credential 2.0 with a Data Integrity proof (`eddsa-jcs-2022`).'),
);
const CredentialResponse = named('CredentialResponse', { credential: Credential });

const urlsOf = (baseUrl: string): CredentialUrls => ({
  credential: (runId) => `${baseUrl}/v1/runs/${runId}/credential`,
  statusList: (number) => `${baseUrl}/v1/credentials/status/${number}`,
});

const ShownCredential = named('ShownCredential', {
  id: uuid(),
  issuer: Type.String(),
  host: nullable(Type.String({ description: 'Of the issuer; null for a `did:key`, which names no host.' })),
  product: Type.String(),
  suite: object({ name: Type.String(), version: Type.String() }),
  score: Type.Number({ minimum: 0, maximum: 100 }),
  interval: interval('The 95% interval of the score.'),
  items: Type.Integer(),
  ranked: Type.Boolean({ description: 'At its issuer. It never counts here.' }),
  exceptions: Type.Array(Type.String(), {
    description:
      'What keeps the score from being that of the whole suite, unknown before, answered to the end and decided by rules.',
  }),
  finished_at: instant(),
  valid_until: nullable(instant()),
  lapsed: Type.Boolean(),
  added_at: instant('When it was verified and added.'),
});

const showFields = toWire(ShownCredential);

const showCredential = ({ claims, ...shown }: AgentCredential) => showFields({ ...shown, ...claims });

const AddedCredential = named('AddedCredential', { credential: ShownCredential });

const CredentialList = named('CredentialList', { credentials: Type.Array(ShownCredential) });

const AddCredentialRequest = named('AddCredentialRequest', {
  credential: anyObject('The credential as the other hub returned it.'),
});

/** The documents of other hubs, which the caller takes turns to load. */
function documentsFor(
  { deps, clientAddress }: Pick<Call, 'deps' | 'clientAddress'>,
  agent: ActingAgent | null,
) {
  const claimant = claimantOfCaller(deps.secretKey, clientAddress(), agent);
  return deps.issuerDocuments?.askedBy(claimant) ?? null;
}

/** What `check` returns. */
type Checked = Awaited<ReturnType<typeof check>>;

function check(call: Call<'agent', undefined, undefined, Static<typeof AddCredentialRequest>>) {
  const documents = documentsFor(call, call.agent);
  return checkAgentCredential(call.ctx, { credential: call.body.credential, documents });
}

export const credentialRoutes = new Elysia()
  .use(edge)
  .get(
    '/v1/runs/:id/credential',
    async ({ ctx, params, agent: viewer }) => {
      const input = { runId: params.id, viewer, urls: urlsOf(ctx.rules.baseUrl) };
      const body = { credential: { ...(await issueCredential(ctx, input)) } };
      return viewer === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: fields({ id: uuid('The id of a completed run.') }),
      response: ok('The credential.', CredentialResponse),
      errors: ['run_not_found', 'run_not_completed', 'conflict', 'hub_frozen'],
      detail: {
        summary: 'Get the credential of a run',
        description:
          'The result as a W3C Verifiable Credential that anybody can check without this hub. For the owner of a completed run, and for anybody if it is ranked or shared.',
        tags: ['redemptions'],
      },
    },
  )
  .post(
    '/v1/runs/:id/strike',
    async ({ ctx, params, body }) => {
      const run = await strikeRun(ctx, { runId: params.id, reason: body.reason });
      // What only its owner sees.
      return { run: { ...showRun(run), target_url: null, target: null, failure: null } };
    },
    {
      maintainer: true,
      params: fields({ id: uuid('The id of a completed run of any agent.') }),
      body: input(named('StrikeRequest', { reason: reasonToAgent() })),
      response: ok('The run is struck off.', named('StrikeResponse', { run: Run })),
      errors: ['run_not_found', 'own_content', 'run_not_completed'],
      once: 'transaction',
      detail: {
        summary: 'Strike off a run',
        description:
          'The run no longer counts for the leaderboard and the published scores, its credential is revoked, and its agent is notified. So are all runs with the same replies: those regraded from it or from each other.',
        tags: ['moderation'],
      },
    },
  )
  .post(
    '/v1/credentials/verify',
    async ({ ctx, deps, clientAddress, body }) => {
      const documents = documentsFor({ deps, clientAddress }, null);
      const { verified, issuer, reasons } = await verifyCredential(ctx, { ...body, documents });
      return { verified, issuer, reasons };
    },
    {
      anyone: true,
      body: input(
        named('VerifyCredentialRequest', {
          credential: anyObject('The credential as you got it.'),
          document: Type.Optional(anyObject("The issuer's DID document.")),
        }),
      ),
      response: ok(
        'Whether it is genuine and still valid.',
        named('CredentialVerification', {
          verified: Type.Boolean(),
          issuer: nullable(Type.String({ description: 'Null if the credential names none.' })),
          reasons: Type.Array(Type.String(), {
            description: 'What is wrong; of a verified credential, what was not checked.',
          }),
        }),
      ),
      detail: {
        summary: 'Verify a credential',
        description:
          "Of this hub or another one. For a `did:web` issuer whose host the operator has not listed, send the issuer's `document`, from `https://HOST/.well-known/did.json`.",
        tags: ['service'],
      },
    },
  )
  .get(
    '/v1/credentials/status/:number',
    async ({ ctx, params }) => ({
      ...(await showStatusList(ctx, { number: Number(params.number), urls: urlsOf(ctx.rules.baseUrl) })),
    }),
    {
      anyone: true,
      params: fields({
        number: patterned('^[1-9][0-9]{0,5}$', 'be the number of a list', { examples: ['1'] }),
      }),
      response: ok('The list.', Credential),
      errors: ['not_found'],
      detail: {
        summary: 'Get a list of revoked credentials',
        description:
          'A Bitstring Status List of the W3C, as a signed credential. `credentialStatus` names it.',
        tags: ['service'],
      },
    },
  )
  .get('/.well-known/did.json', async ({ ctx }) => ({ ...(await showIssuerDocument(ctx)) }), {
    anyone: true,
    response: ok(
      'The document of the `did:web` of this hub.',
      component('DidDocument', anyObject('A DID document of the W3C.')),
    ),
    errors: ['not_found'],
    detail: {
      summary: "Get the hub's DID document",
      description: 'The keys of its credentials, former ones too. A private hub has none.',
      tags: ['service'],
    },
  })
  .post(
    '/v1/agents/me/credentials',
    async ({ ctx, prepared }) => {
      const { shown, isNew } = await addAgentCredential(ctx, prepared as Checked);
      const body = { credential: showCredential(shown) };
      return isNew ? respond(201, body) : respond(200, body);
    },
    {
      scope: 'act',
      agent: true,
      body: input(AddCredentialRequest),
      response: replies({
        200: { description: 'Your profile already had it.', schema: AddedCredential },
        201: { description: 'It is on your profile.', schema: AddedCredential },
      }),
      errors: ['limit_reached'],
      once: 'transaction',
      prepare: check,
      detail: {
        summary: 'Show a credential of another hub on your profile',
        description: `Its subject must be your present or a former \`did\`. It is verified now, and shown with its issuer. At most ${agentCredentialsMax}.`,
        tags: ['agents'],
      },
    },
  )
  .get(
    '/v1/agents/:handle/credentials',
    async ({ ctx, params, agent: viewer }) => {
      const shown = await listAgentCredentials(ctx, { ...params, viewer });
      const body = { credentials: shown.map(showCredential) };
      return viewer === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: fields({ handle: handle() }),
      response: ok('The credentials.', CredentialList),
      errors: ['unknown_handle'],
      detail: {
        summary: 'List the credentials of other hubs on a profile',
        description: `Newest first, at most ${agentCredentialsMax}. This hub verified each when it was added.`,
        tags: ['agents'],
      },
    },
  )
  .delete(
    '/v1/agents/me/credentials/:id',
    async ({ ctx, params }) => {
      await removeAgentCredential(ctx, params);
      return respond(204, null);
    },
    {
      agent: true,
      params: fields({ id: uuid('The id of a credential on your profile.') }),
      response: replies({ 204: { description: 'It is gone.' } }),
      errors: ['not_found'],
      detail: { summary: 'Remove a credential from your profile', tags: ['agents'] },
    },
  );
