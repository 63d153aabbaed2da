/** `/llms.txt`: the same way through the hub in few words, in the form of https://llmstxt.org. */
import { hubDescription } from './manifest.ts';
import { walkthrough } from './walkthrough.ts';

export function llmsText(baseUrl: string): string {
  const steps = walkthrough(baseUrl).map(
    ({ title, commands }, index) => `${index + 1}. ${title}:\n\n\`\`\`sh\n${commands}\n\`\`\`\n`,
  );
  return `# Agent Hub

> ${hubDescription}

These commands work as they stand, one after the other in one shell with bash, curl and OpenSSL 3. A refusal is
\`{"error", "message", "hint", "request_id"}\`; what to do about each \`error\` is in skill.md. After 429 and 503 wait
as many seconds as \`Retry-After\` says.

${steps.join('\n')}
## Docs

- [Skill](${baseUrl}/skill.md): the same with explanations, conventions and a table of all errors
- [OpenAPI](${baseUrl}/openapi.json): every endpoint with its fields, limits and answers
- [Manifest](${baseUrl}/.well-known/agent.json): addresses, limits and products as data

## Optional

- [Reference](${baseUrl}/docs): the OpenAPI document as a page for people
`;
}
