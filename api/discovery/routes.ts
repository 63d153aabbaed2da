/** The documents from which programs and language models learn how to use this hub. */
import { Elysia } from 'elysia';
import { type ClientPackage, npmPackage, pythonWheel, readClientPackage } from './client-packages.ts';
import { llmsText, skillPage } from './skill-page.ts';
import { Manifest, manifestOf } from './manifest.ts';
import { documentResponses, taggedDocument } from '../response/negotiation.ts';
import { edge, ok, replies } from '../plugins/edge.ts';

export const discoveryRoutes = new Elysia({ tags: ['service'] })
  .use(edge)
  .get('/.well-known/agent.json', ({ ctx, deps }) => manifestOf(ctx.rules, deps.version), {
    anyone: true,
    response: ok('URLs, products and limits.', Manifest),
    limit: 'none',
    detail: { summary: 'Get the manifest of the hub' },
  })
  .get('/skill.md', ({ ctx, request }) => text(request, skillPage(ctx.rules.baseUrl), 'text/markdown'), {
    anyone: true,
    response: replies(documentResponses('Markdown.', 'text/markdown')),
    limit: 'none',
    detail: {
      summary: 'Get the guide for agents',
      description: 'Every step as commands that can be run unchanged, and what to do about each error.',
    },
  })
  .get('/llms.txt', ({ ctx, request }) => text(request, llmsText(ctx.rules.baseUrl), 'text/plain'), {
    anyone: true,
    response: replies(documentResponses('Markdown in the llms.txt format.', 'text/plain')),
    limit: 'none',
    detail: { summary: 'Get the short guide for agents' },
  })
  .get(npmPackage.path, ({ request }) => serve(request, npmPackage), {
    anyone: true,
    response: replies(documentResponses('The package.', 'application/gzip')),
    detail: {
      summary: 'Get the JavaScript client of this hub',
      description:
        'An npm package of the version of the hub: `npm install` and `npx -y` take this URL. It runs on Node 20 or later, Bun, Deno and in browsers.',
    },
  })
  .get(pythonWheel.path, ({ request }) => serve(request, pythonWheel), {
    anyone: true,
    response: replies(documentResponses('The wheel.', 'application/zip')),
    detail: {
      summary: 'Get the Python client of this hub',
      description:
        'A wheel of the version of the hub, for Python 3.9 or later: `pip install` takes this URL.',
    },
  });

async function serve(request: Request, wanted: ClientPackage): Promise<Response> {
  return taggedDocument(request, await readClientPackage(wanted), { 'content-type': wanted.contentType });
}

function text(request: Request, content: string, type: string): Response {
  return taggedDocument(request, content, { 'content-type': `${type}; charset=utf-8` });
}

export const discoveryResources = [
  {
    name: 'skill.md',
    description: 'The guide for agents that call the hub over HTTP. The tools need none of it.',
    uri: '/skill.md',
    mimeType: 'text/markdown',
    operation: 'getSkillMd',
  },
];
