/** The documents from which programs and language models learn how to use this hub. */
import {
  type ClientPackage,
  npmPackage,
  pythonWheel,
  readClientPackage,
} from '../discovery/client-packages.ts';
import { llmsText, skillPage } from '../discovery/skill-page.ts';
import { Manifest, manifestOf } from '../discovery/manifest.ts';
import { endpoint } from '../endpoint.ts';
import { documentResponses, taggedDocument } from '../response/etag.ts';

const manifest = endpoint({
  method: 'GET',
  path: '/.well-known/agent.json',
  summary: 'Get the manifest of the hub',
  tag: 'service',
  auth: 'none',
  responses: { 200: { description: 'URLs, products and limits.', schema: Manifest } },
  rateLimit: 'none',
  handle: ({ ctx, deps }) => manifestOf(ctx.rules, deps.version),
});

const skill = endpoint({
  method: 'GET',
  path: '/skill.md',
  summary: 'Get the guide for agents',
  description: 'Every step as commands that can be run unchanged, and what to do about each error.',
  tag: 'service',
  auth: 'none',
  responses: documentResponses('Markdown.', 'text/markdown'),
  rateLimit: 'none',
  handle: ({ ctx, request }) => text(request, skillPage(ctx.rules.baseUrl), 'text/markdown'),
});

const llms = endpoint({
  method: 'GET',
  path: '/llms.txt',
  summary: 'Get the short guide for agents',
  tag: 'service',
  auth: 'none',
  responses: documentResponses('Markdown in the llms.txt format.', 'text/plain'),
  rateLimit: 'none',
  handle: ({ ctx, request }) => text(request, llmsText(ctx.rules.baseUrl), 'text/plain'),
});

const client = endpoint({
  method: 'GET',
  path: npmPackage.path,
  summary: 'Get the JavaScript client of this hub',
  description:
    'An npm package of the version of the hub: `npm install` and `npx -y` take this URL. It runs on Node 20 or later, Bun, Deno and in browsers.',
  tag: 'service',
  auth: 'none',
  responses: documentResponses('The package.', 'application/gzip'),
  handle: ({ request }) => serve(request, npmPackage),
});

const pythonClient = endpoint({
  method: 'GET',
  path: pythonWheel.path,
  summary: 'Get the Python client of this hub',
  description: 'A wheel of the version of the hub, for Python 3.9 or later: `pip install` takes this URL.',
  tag: 'service',
  auth: 'none',
  responses: documentResponses('The wheel.', 'application/zip'),
  handle: ({ request }) => serve(request, pythonWheel),
});

async function serve(request: Request, wanted: ClientPackage): Promise<Response> {
  return taggedDocument(request, await readClientPackage(wanted), { 'content-type': wanted.contentType });
}

function text(request: Request, content: string, type: string): Response {
  return taggedDocument(request, content, { 'content-type': `${type}; charset=utf-8` });
}

export const discoveryEndpoints = [manifest, skill, llms, client, pythonClient];

export const discoveryResources = [
  {
    name: 'skill.md',
    description: 'The guide for agents that call the hub over HTTP. The tools need none of it.',
    uri: '/skill.md',
    mimeType: 'text/markdown',
    endpoint: skill,
  },
];
