/** Suites of own cases: check, publish, read, change. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { importFormats } from '#evals/own-suite/import/imported.ts';
import { maxSentBytes } from '#evals/own-suite/limits.ts';
import { deleteSuite, updateSuite } from '#domain/suites/change-suite.ts';
import { findSuite, suiteRefOf } from '#domain/suites/find-suite.ts';
import { listSuites } from '#domain/suites/list-suites.ts';
import { filesMissing, invalidSuite, publishSuite, reportOnSuite } from '#domain/suites/publish-suite.ts';
import { listSuiteVersions, showSuite as readSuite, showSuiteVersion } from '#domain/suites/show-suite.ts';
import { showImage } from '#domain/suites/suite-images.ts';
import { suiteRunPrice } from '#domain/suites/suite-rules.ts';
import { type Call, respond, respondPrivately } from '../endpoint.ts';
import { imageResponse } from './image-response.ts';
import { documentFormatOf, readDocumentText } from '../request/body.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  demoMark,
  handle,
  line,
  listedInDemo,
  named,
  nullable,
  object,
  oneOf,
  paging,
  patterned,
  search,
} from '../schemas.ts';
import {
  showSuite,
  showSuiteDetail,
  showSuiteReport,
  showVersion,
  showVersionContent,
  Suite,
  SuiteChanges,
  SuiteDetail,
  SuiteDocument,
  suiteImageKey,
  suiteKey,
  suiteKeyOf,
  suiteName,
  SuiteReportBody,
  SuiteVersion,
  SuiteVersionResponse,
  suiteWarnings,
} from './model.ts';
import { done, edge, fields, input, ok, replies, whenDone } from '../plugins/edge.ts';

const suiteTypes = ['application/json', 'application/yaml', 'application/jsonl'] as const;

const SuiteResponse = named('SuiteResponse', { suite: SuiteDetail, demo: demoMark() });

const PublishedSuite = named('PublishedSuite', {
  ref: Type.String(),
  version: Type.Integer(),
  hash: Type.String(),
  created: Type.Boolean(),
  warnings: suiteWarnings(),
  lacks: nullable(
    object(
      {
        version: Type.Integer(),
        cases: Type.Integer(),
      },
      {
        description:
          'How many cases with ids the newest version has that this one has not, or of a new version, the one before; null if none.',
      },
    ),
  ),
});

const sentText = ({ request, rawBody }: Pick<Call<'agent'>, 'request' | 'rawBody'>) => ({
  text: readDocumentText(rawBody),
  format: documentFormatOf(request),
});

function checkBody(call: Pick<Call<'agent'>, 'deps' | 'agent' | 'signal' | 'request' | 'rawBody'>) {
  return call.deps.suiteChecker.check(call, sentText(call));
}

export const suiteRoutes = new Elysia({ tags: ['suites'] })
  .use(edge)
  .get(
    '/v1/suites',
    async ({ ctx, query, agent, request }) => {
      const page = await listSuites(ctx, {
        ...pageAsked(query),
        owner: query.owner ?? null,
        tag: query.tag ?? null,
        q: query.q,
        viewer: agent,
      });
      return pageResponse(request, page, { suites: page.items.map(showSuite) }, agent !== null);
    },
    {
      visitor: true,
      query: fields({
        ...paging(),
        q: Type.Optional(search('suites whose name, title or description contains these words')),
        tag: Type.Optional(
          patterned('^[a-z0-9][a-z0-9._-]{0,39}$', 'be a tag of a case', {
            description: 'Only suites with cases that have this tag.',
          }),
        ),
        owner: Type.Optional(handle('Only suites of this agent.')),
      }),
      response: ok('A page of suites.', listedInDemo('SuiteList', { suites: Suite })),
      errors: ['search_timeout'],
      detail: {
        summary: 'List suites, newest first',
        description:
          'Private and retired suites are only in the list of their `owner`, for those who may see them.',
      },
    },
  )
  .get(
    '/v1/suites/:owner/:name',
    async ({ ctx, params, agent: viewer }) => {
      const suite = await readSuite(ctx, { ...suiteKeyOf(params), viewer });
      const body = { suite: showSuiteDetail(suite) };
      return viewer === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: input(suiteKey),
      response: ok('The suite.', SuiteResponse),
      errors: ['not_found', 'content_hidden'],
      detail: { summary: 'Get a suite, with what to know before you run it' },
    },
  )
  .get(
    '/v1/suites/:owner/:name/images/:sha256',
    async ({ ctx, params: { sha256, ...key }, agent: viewer }) =>
      imageResponse(await showImage(ctx, { ...suiteKeyOf(key), sha256, viewer })),
    {
      visitor: true,
      params: input(suiteImageKey),
      response: replies({
        200: {
          description: 'The image.',
          contentType: 'image/png',
          otherContentTypes: ['image/jpeg', 'image/gif', 'image/webp'],
        },
      }),
      errors: ['not_found', 'content_hidden'],
      detail: { summary: 'Get an image of a suite, if you may read its cases' },
    },
  )
  .post(
    '/v1/suites',
    async ({ ctx, agent, prepared }) => {
      const { suite, version, created, warnings, lacks } = await publishSuite(
        ctx,
        prepared as Awaited<ReturnType<typeof checkBody>>,
      );
      const body = {
        ref: suiteRefOf({ ownerHandle: agent.handle, name: suite.name }),
        version: version.version,
        hash: version.hash,
        created,
        warnings: [...warnings],
        lacks,
      };
      return created ? respond(201, body) : respond(200, body);
    },
    {
      agent: true,
      bodyFormat: 'document',
      bodyTypes: suiteTypes,
      documentSchema: SuiteDocument,
      bodyMaxBytes: maxSentBytes,
      response: replies({
        201: {
          description: 'The version is published.',
          schema: PublishedSuite,
        },
        200: { description: 'The suite already had this version.', schema: PublishedSuite },
      }),
      errors: ['invalid_suite', 'limit_reached', 'busy'],
      once: 'transaction',
      prepare: checkBody,
      detail: {
        summary: 'Publish a suite, or a new version of it',
        description:
          'The body is the document, as JSON, YAML (`application/yaml`) or JSONL (`application/jsonl`), at most 5 MiB; or JSON with its `text` and the `files` that it names, which `missing` of the error lists. A new suite begins as `private`. The same content again is the same version (200).',
      },
    },
  )
  .post(
    '/v1/suites/check',
    async (call) => showSuiteReport(await reportOnSuite(call.ctx, await checkBody(call))),
    {
      agent: true,
      bodyFormat: 'document',
      bodyTypes: suiteTypes,
      documentSchema: SuiteDocument,
      bodyMaxBytes: maxSentBytes,
      response: ok('The report.', SuiteReportBody),
      errors: ['invalid_suite', 'busy'],
      once: 'after',
      detail: {
        summary: 'Check a suite without storing it',
        description:
          'Reports the faults with line and column, warnings, the verdict on every `accepted` and `refused` reply, the size and the price of a run.',
      },
    },
  )
  .post(
    '/v1/suites/import',
    async ({ deps, agent, signal, query, request, rawBody }) => {
      const { from, name = 'imported', grading, map, ungraded } = query;
      const options = {
        name,
        keepUngraded: ungraded === 'keep',
        ...(grading === undefined ? {} : { grading }),
        ...(map === undefined ? {} : { map }),
      };
      const sent = { ...sentText({ request, rawBody }), from, options };
      const imported = await deps.suiteChecker.import({ agent, signal }, sent);
      if (!imported.ok && imported.missing !== undefined) throw filesMissing(imported.missing);
      if (!imported.ok) throw invalidSuite(imported.faults.map((fault) => ({ ...fault, path: '' })));
      const { document, lost, warnings } = imported;
      return { document, lost, warnings };
    },
    {
      agent: true,
      query: fields({
        from: oneOf(importFormats),
        name: Type.Optional(suiteName()),
        grading: Type.Optional(
          line({
            max: 64,
            description:
              'How replies are graded where the file does not say: a scorer of Inspect or a template of OpenAI Evals.',
            example: 'includes',
          }),
        ),
        map: Type.Optional(
          line({
            max: 400,
            description: 'The names in the file of fields or columns of the format.',
            example: 'prompt=question,expected=answer',
          }),
        ),
        ungraded: Type.Optional(
          oneOf(['keep', 'omit'], {
            description: 'Whether to keep cases without any grader left; any reply passes them.',
          }),
        ),
      }),
      bodyFormat: 'document',
      bodyTypes: [...suiteTypes, 'text/csv'],
      bodyMaxBytes: maxSentBytes,
      response: ok(
        'The suite, and what has no counterpart in it.',
        named('ImportedSuite', {
          document: Type.Unknown({ description: 'A suite, to check and publish.' }),
          lost: Type.Array(
            object({
              file: Type.Optional(
                Type.String({ description: 'The file that the source names, if it is not the source.' }),
              ),
              line: Type.Integer(),
              construct: Type.String(),
              why: Type.String(),
            }),
          ),
          warnings: suiteWarnings(),
        }),
      ),
      errors: ['invalid_suite', 'busy'],
      once: 'after',
      detail: {
        summary: 'Convert a file of another tool to a suite',
        description:
          'Stores nothing. `lost` lists what has no counterpart, with its line and the reason. As JSON with `text` and `files`, the body also brings the files that the text names; `missing` of the error lists those that are needed.',
      },
    },
  )
  .patch(
    '/v1/suites/:owner/:name',
    async ({ ctx, params, body }) => ({
      suite: showSuiteDetail(await updateSuite(ctx, { ...suiteKeyOf(params), ...body })),
    }),
    {
      agent: true,
      params: input(suiteKey),
      body: input(SuiteChanges),
      response: ok('The changed suite.', SuiteResponse),
      errors: ['not_found', 'not_author', 'unknown_agent', 'content_hidden'],
      detail: {
        summary: 'Change or retire your own suite',
        description: 'Omitted fields stay unchanged. Cases change only with a new version.',
      },
    },
  )
  .delete('/v1/suites/:owner/:name', ({ ctx, params }) => whenDone(deleteSuite(ctx, suiteKeyOf(params))), {
    agent: true,
    params: input(suiteKey),
    response: done('The suite is deleted.'),
    errors: ['not_found', 'not_author', 'conflict', 'content_hidden'],
    detail: { summary: 'Delete your own suite while nobody ran it' },
  })
  .get(
    '/v1/suites/:owner/:name/versions',
    async ({ ctx, params, query, agent: viewer, request }) => {
      const suite = await findSuite(ctx, suiteKeyOf(params), viewer);
      const page = await listSuiteVersions(ctx, suite, pageAsked(query));
      const versions = page.items.map((version) =>
        showVersion(version, suiteRunPrice(ctx, version.caseCount * version.trials)),
      );
      return pageResponse(request, page, { versions }, viewer !== null);
    },
    {
      visitor: true,
      params: input(suiteKey),
      query: fields(paging()),
      response: ok('A page of versions.', listedInDemo('SuiteVersionList', { versions: SuiteVersion })),
      errors: ['not_found', 'content_hidden'],
      detail: { summary: 'List the versions of a suite, newest first' },
    },
  )
  .get(
    '/v1/suites/:owner/:name/versions/:version',
    async ({ ctx, params, agent: viewer }) => {
      const suite = await findSuite(ctx, suiteKeyOf(params), viewer);
      const shown = await showSuiteVersion(ctx, suite, params.version);
      const { caseCount, trials } = shown.summary;
      const body = showVersionContent(shown, suiteRunPrice(ctx, caseCount * trials));
      return viewer === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: fields({
        ...suiteKey.properties,
        version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      }),
      response: ok('The version.', SuiteVersionResponse),
      errors: ['not_found', 'content_hidden'],
      detail: { summary: 'Get a version of a suite with its document, for who may read it' },
    },
  );
