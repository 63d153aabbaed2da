/** Runs after the whole suite: some test must have produced every response in the OpenAPI document. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { hubEndpoints } from '#api/routes/index.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';

const file = process.env['TEST_SEEN_ANSWERS'];
if (file === undefined) throw new Error('TEST_SEEN_ANSWERS is not set. Run this file through `npm test`.');
/**
 * Responses that no test produces yet, most of them of runs of suites. Remove a line with the test that produces it;
 * nothing may be added.
 */
const unproduced: ReadonlySet<string> = new Set([
  'GET /.well-known/oauth-authorization-server 404 not_found',
  'GET /.well-known/oauth-protected-resource 404 not_found',
  'GET /.well-known/oauth-protected-resource/mcp 404 not_found',
  'GET /.well-known/oauth-protected-resource/mcp/me 404 not_found',
  'GET /v1/agent-runs/{id}/compare/{other_id} 409 code_tool_mismatch',
  'POST /v1/agents/me/credentials 409 too_many_credentials',
  'GET /v1/leaderboard 404 suite_version_not_found',
  'GET /v1/leaderboard 410 content_hidden',
  'POST /v1/redemptions 404 suite_version_not_found',
  'POST /v1/redemptions 409 run_not_replayable',
  'POST /v1/redemptions 409 suite_retired',
  'POST /v1/redemptions 409 suite_version_mismatch',
  'POST /v1/redemptions 410 content_hidden',
  'POST /v1/runs/{id}/answers 409 case_answered',
  'POST /v1/runs/{id}/answers 409 eval_job_ended',
  'POST /v1/runs/{id}/answers 503 grading_busy',
  'POST /v1/runs/{id}/cancel 409 agent_run_ended',
  'GET /v1/runs/{id}/compare/{other_id} 404 agent_run_not_found',
  'GET /v1/runs/{id}/compare/{other_id} 404 eval_job_not_found',
  'GET /v1/runs/{id}/compare/{other_id} 409 agent_run_not_completed',
  'GET /v1/runs/{id}/compare/{other_id} 409 eval_job_not_completed',
  'GET /v1/runs/{id}/compare/{other_id} 409 pack_mismatch',
  'GET /v1/runs/{id}/compare/{other_id} 409 product_mismatch',
  'GET /v1/runs/{id}/compare/{other_id} 409 suite_version_mismatch',
  'GET /v1/runs/{id}/compare/{other_id} 410 cases_pruned',
  'GET /v1/runs/{id}/credential 409 agent_run_not_completed',
  'GET /v1/runs/{id}/export 409 agent_run_not_completed',
  'GET /v1/runs/{id}/export 409 run_not_completed',
  'GET /v1/runs/{id}/export 410 cases_pruned',
  'POST /v1/runs/{id}/strike 403 separation_of_duties',
  'POST /v1/runs/{id}/strike 409 agent_run_not_completed',
  'POST /v1/runs/{id}/strike 409 eval_job_not_completed',
  'GET /v1/suites 503 search_timeout',
  'POST /v1/suites 409 too_many_suites',
  'POST /v1/suites 503 grading_busy',
  'GET /v1/suites/{owner}/{name} 410 content_hidden',
  'PATCH /v1/suites/{owner}/{name} 410 content_hidden',
  'DELETE /v1/suites/{owner}/{name} 403 not_author',
  'DELETE /v1/suites/{owner}/{name} 410 content_hidden',
  'GET /v1/suites/{owner}/{name}/runs 410 content_hidden',
  'GET /v1/suites/{owner}/{name}/versions 404 suite_not_found',
  'GET /v1/suites/{owner}/{name}/versions 410 content_hidden',
  'GET /v1/suites/{owner}/{name}/versions/{version} 404 suite_not_found',
  'GET /v1/suites/{owner}/{name}/versions/{version} 410 content_hidden',
  'POST /v1/suites/check 503 grading_busy',
  'POST /v1/suites/import 503 grading_busy',
]);

const seen = new Set(readFileSync(file, 'utf8').split('\n'));

test('this run produced every documented response', () => {
  const missing = listDocumentedAnswers(documentOf(hubEndpoints)).filter(
    (name) => !seen.has(name) && !unproduced.has(name),
  );
  expect(missing).toEqual([]);
});
