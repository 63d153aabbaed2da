/** The documents through which clients discover the MCP endpoint and the guide for agents. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { forAllOrigins, requireMcp } from '../oauth/oauth-paths.ts';
import { hubDescription } from './manifest.ts';
import { skillDescription, skillPage } from './skill-page.ts';
import { respond } from '../endpoint.ts';
import { named, object } from '../schemas.ts';
import { edge, ok, replies } from '../plugins/edge.ts';

const cardType = 'application/mcp-server-card+json';
/** Reverse DNS, as the schema of server cards requires. */
const cardName = (baseUrl: string): string =>
  `${new URL(baseUrl).hostname.split('.').toReversed().join('.')}/agent-hub`;
const discoveryMaxAgeSeconds = 3_600;

export const mcpDiscoveryRoutes = new Elysia({ tags: ['service'] })
  .use(edge)
  .get(
    '/.well-known/mcp/catalog.json',
    ({ ctx }) => {
      const { baseUrl } = ctx.rules;
      const entry = {
        identifier: `urn:air:${new URL(baseUrl).hostname}:agent-hub`,
        displayName: 'Agent Hub',
        type: cardType,
        url: `${baseUrl}/mcp/server-card`,
      };
      return respond(200, { specVersion: 'draft', entries: [entry] }, forAllOrigins);
    },
    {
      anyone: true,
      response: ok(
        'Where the server card is.',
        named('McpCatalog', {
          specVersion: Type.String(),
          entries: Type.Array(
            object({
              identifier: Type.String(),
              displayName: Type.String(),
              type: Type.String(),
              url: Type.String(),
            }),
          ),
        }),
      ),
      errors: ['not_found'],
      limit: 'none',
      requires: requireMcp,
      detail: { summary: 'Get the catalog of MCP servers' },
    },
  )
  .get(
    '/mcp/server-card',
    ({ ctx, deps }) => {
      const { baseUrl } = ctx.rules;
      const card = {
        $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
        name: cardName(baseUrl),
        version: deps.version,
        title: 'Agent Hub',
        description: hubDescription,
        websiteUrl: baseUrl,
        remotes: [
          {
            type: 'streamable-http',
            url: `${baseUrl}/mcp`,
            supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
            headers: [
              {
                name: 'Authorization',
                description: 'Bearer and the token of the agent. Without it, only public tools work.',
                isRequired: false,
                isSecret: true,
              },
            ],
          },
        ],
      };
      return new Response(JSON.stringify(card), {
        headers: {
          ...forAllOrigins,
          'content-type': cardType,
          'cache-control': `public, max-age=${discoveryMaxAgeSeconds}`,
        },
      });
    },
    {
      anyone: true,
      response: replies({ 200: { description: 'How to connect.', contentType: cardType } }),
      errors: ['not_found'],
      limit: 'none',
      requires: requireMcp,
      detail: { summary: 'Get the MCP server card' },
    },
  )
  .get(
    '/.well-known/agent-skills/index.json',
    ({ ctx }) => {
      const { baseUrl } = ctx.rules;
      const digest = new Bun.CryptoHasher('sha256').update(skillPage(baseUrl)).digest('hex');
      const skill = {
        name: 'agent-hub',
        type: 'skill-md',
        description: skillDescription,
        url: `${baseUrl}/skill.md`,
        digest: `sha256:${digest}`,
      };
      const body = {
        $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
        skills: [skill],
      };
      return respond(200, body, forAllOrigins);
    },
    {
      anyone: true,
      response: ok(
        'The skills that this hub serves.',
        named('AgentSkillIndex', {
          $schema: Type.String(),
          skills: Type.Array(
            object({
              name: Type.String(),
              type: Type.String(),
              description: Type.String(),
              url: Type.String(),
              digest: Type.String({ description: '`sha256:` and 64 hexadecimal digits.' }),
            }),
          ),
        }),
      ),
      limit: 'none',
      detail: {
        summary: 'Get the index of agent skills',
        description: 'In the format of agent-skills discovery 0.2.0. The digest covers the served bytes.',
      },
    },
  );
