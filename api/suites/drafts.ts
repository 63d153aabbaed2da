/** Conversations as they happened, kept until they are published as cases. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { draftVerdicts } from '#db/schema/suite-tables.ts';
import { parseExactJson } from '#evals/own-suite/exact-json.ts';
import { addDraft, casesAsYaml, deleteDraft, listDrafts } from '#domain/suites/drafts.ts';
import { draftsPerSuiteMax } from '#domain/suites/suite-rules.ts';
import { draftVersion, takeInDraft } from '#domain/suites/take-in-draft.ts';
import { suiteRefOf } from '#domain/suites/find-suite.ts';
import { maxGraders } from '#evals/own-suite/limits.ts';
import { type Call, respond, respondPrivately } from '../endpoint.ts';
import { readJson } from '../request/body.ts';
import { createValidator } from '../request/input.ts';
import { instant, line, named, object, oneOf, patterned, uuid } from '../schemas.ts';
import { created, done, edge, fields, input, optionalInput, replies, whenDone } from '../plugins/edge.ts';
import { toWire } from '../wire.ts';
import { suiteKey, suiteKeyOf } from './model.ts';

const bodyMaxBytes = 1024 * 1024;

const anything = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const SentDraft = named('SentDraft', {
  verdict: oneOf(draftVerdicts, { description: 'Whether the reply was right.' }),
  request: anything('Of OpenAI chat, OpenAI Responses or Anthropic messages, as it was sent.'),
  response: anything('The response to it, complete.'),
  span: anything(
    'Instead: a span of OpenTelemetry as OTLP JSON, with `gen_ai.input.messages` and `gen_ai.output.messages`.',
  ),
});
const validator = createValidator(SentDraft, 'invalid_body', 'The body');

const Draft = named('SuiteDraft', {
  id: uuid(),
  verdict: oneOf(draftVerdicts),
  case: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As it can be published, with the first of `proposed`.',
  }),
  proposed: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Graders proposed from the form of the reply, the most likely one first; may be empty.',
  }),
  created_at: instant(),
});

const showDraft = toWire(Draft);

const TakenIn = named('DraftTakenIn', {
  ref: Type.String(),
  version: Type.Integer({ description: 'The new version.' }),
  case_id: Type.String(),
  yaml: Type.String({ description: 'The case, to paste below `cases:` of your suite file.' }),
  hint: Type.String(),
});

const draftKey = object({ ...suiteKey.properties, id: uuid('The id of the draft.') });

const TakeInRequest = named('TakeInRequest', {
  grader: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 9, description: 'Which of `proposed`; the first by default.' }),
  ),
  expect: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      maxItems: maxGraders,
      description: 'Your own graders, instead of a proposed one.',
    }),
  ),
  case_id: Type.Optional(
    patterned('^[A-Za-z0-9._-]{1,64}$', 'have 1 to 64 letters, digits, ., _ or -', {
      description: 'The id of the case; that of the draft by default.',
    }),
  ),
  title: Type.Optional(line({ max: 140, description: 'The title of the case.' })),
});

async function checkTakenIn({
  ctx,
  deps,
  agent,
  signal,
  params,
  body,
}: Call<'agent', typeof draftKey, unknown, Type.Static<typeof TakeInRequest> | null>) {
  const { case_id: caseId, ...choice } = body ?? {};
  const input = { ...suiteKeyOf(params), id: params.id, ...choice, caseId };
  const { text, ...version } = await draftVersion(ctx, input);
  return { ...version, checked: await deps.suiteChecker.check({ agent, signal }, { text, format: 'json' }) };
}

export const draftRoutes = new Elysia({ tags: ['suites'] })
  .use(edge)
  .post(
    '/v1/suites/:owner/:name/drafts',
    async ({ ctx, params, request, rawBody }) => {
      const body = readJson(request, rawBody, parseExactJson);
      validator.check(body);
      // The validator has just shown that it has this form.
      const { verdict, ...sent } = body as Type.Static<typeof SentDraft>;
      const draft = await addDraft(ctx, { ...suiteKeyOf(params), verdict, sent });
      return respond(201, { draft: showDraft(draft) });
    },
    {
      agent: true,
      params: input(suiteKey),
      bodyFormat: 'document',
      bodyTypes: ['application/json'],
      documentSchema: SentDraft,
      bodyMaxBytes,
      response: replies({
        201: { description: 'The draft is kept.', schema: named('KeptDraft', { draft: Draft }) },
      }),
      errors: ['not_found', 'not_author', 'content_hidden', 'conflict', 'limit_reached'],
      once: 'transaction',
      detail: {
        summary: 'Keep a conversation as the draft of a case',
        description:
          'Your private suite takes at most 200 drafts. Tool calls and their results become part of the case; what a case cannot have, such as an audio file, is refused.',
      },
    },
  )
  .get(
    '/v1/suites/:owner/:name/drafts',
    async ({ ctx, params, query }) => {
      const drafts = await listDrafts(ctx, suiteKeyOf(params));
      if (query.format === 'yaml')
        return new Response(casesAsYaml(drafts.map((draft) => draft.case)), {
          headers: { 'content-type': 'application/yaml', 'cache-control': 'no-store' },
        });
      return respondPrivately({ drafts: drafts.map(showDraft) });
    },
    {
      agent: true,
      params: input(suiteKey),
      query: fields({
        format: Type.Optional(
          oneOf(['json', 'yaml'], {
            default: 'json',
            description: '`yaml`: the cases, to paste below `cases:`.',
          }),
        ),
      }),
      response: replies({
        200: {
          description: 'All drafts, oldest first.',
          schema: named('SuiteDraftList', { drafts: Type.Array(Draft, { maxItems: draftsPerSuiteMax }) }),
          otherContentTypes: ['application/yaml'],
        },
      }),
      errors: ['not_found', 'not_author', 'content_hidden'],
      detail: {
        summary: 'List the drafts of your suite, with proposed graders',
        description: 'Publishing a version that has a case with the same messages deletes the draft.',
      },
    },
  )
  .post(
    '/v1/suites/:owner/:name/drafts/:id/take-in',
    async ({ ctx, params, prepared }) => {
      const { checked, basedOn, caseId, yaml } = prepared as Awaited<ReturnType<typeof checkTakenIn>>;
      const { suite, version } = await takeInDraft(ctx, {
        ...suiteKeyOf(params),
        id: params.id,
        checked,
        basedOn,
      });
      return respond(201, {
        ref: suiteRefOf({ ownerHandle: ctx.agent.handle, name: suite.name }),
        version: version.version,
        case_id: caseId,
        yaml,
        hint: 'Add `yaml` to the file of your suite: a version published from a file without it does not have the case.',
      });
    },
    {
      agent: true,
      params: input(draftKey),
      body: optionalInput(TakeInRequest),
      response: created('The suite has a new version with the case, and the draft is deleted.', TakenIn),
      errors: [
        'not_found',
        'not_author',
        'content_hidden',
        'conflict',
        'invalid_body',
        'invalid_suite',
        'limit_reached',
        'busy',
      ],
      once: 'transaction',
      prepare: checkTakenIn,
      detail: {
        summary: 'Take a draft into your suite as a case of a new version',
        description:
          'The newest version gets the case at its end, with one of the proposed graders or your own. Add it to the file of your suite too.',
      },
    },
  )
  .delete(
    '/v1/suites/:owner/:name/drafts/:id',
    ({ ctx, params }) => whenDone(deleteDraft(ctx, { ...suiteKeyOf(params), id: params.id })),
    {
      agent: true,
      params: input(draftKey),
      response: done('The draft is deleted.'),
      errors: ['not_found', 'not_author', 'content_hidden'],
      detail: { summary: 'Delete a draft of your suite' },
    },
  );
