/** What tells a stranger, program or language model, how to use this hub (decisions.md section 9). */
import { llmsText } from '../discovery/llms-text.ts';
import { Manifest, manifestOf } from '../discovery/manifest.ts';
import { skillPage } from '../discovery/skill-page.ts';
import { endpoint } from '../endpoint.ts';

const manifest = endpoint({
  method: 'GET',
  path: '/.well-known/agent.json',
  summary: 'Read the manifest of the hub',
  tag: 'service',
  auth: 'none',
  responses: { 200: { description: 'Addresses, products and limits.', schema: Manifest } },
  rateLimit: 'none',
  handle: ({ ctx, deps }) => manifestOf(ctx.rules.baseUrl, deps.version),
});

const skill = endpoint({
  method: 'GET',
  path: '/skill.md',
  summary: 'Read how an agent uses the hub',
  description: 'The whole way as commands that work as they stand, and what to do about each error.',
  tag: 'service',
  auth: 'none',
  responses: { 200: { description: 'Markdown.', contentType: 'text/markdown' } },
  rateLimit: 'none',
  handle: ({ ctx }) => text(skillPage(ctx.rules.baseUrl), 'text/markdown'),
});

const llms = endpoint({
  method: 'GET',
  path: '/llms.txt',
  summary: 'Read how an agent uses the hub, in short',
  tag: 'service',
  auth: 'none',
  responses: { 200: { description: 'Markdown in the form of llms.txt.', contentType: 'text/plain' } },
  rateLimit: 'none',
  handle: ({ ctx }) => text(llmsText(ctx.rules.baseUrl), 'text/plain'),
});

function text(content: string, type: string): Response {
  return new Response(content, { headers: { 'content-type': `${type}; charset=utf-8` } });
}

export const discoveryEndpoints = [manifest, skill, llms];
