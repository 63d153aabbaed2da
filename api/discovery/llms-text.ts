/** `/llms.txt`: the walkthrough in short form, in the format of https://llmstxt.org. */
import { hubDescription } from './manifest.ts';
import { walkthrough } from './walkthrough.ts';

export function llmsText(baseUrl: string): string {
  const steps = walkthrough(baseUrl).map(
    ({ title, commands }, index) => `${index + 1}. ${title}:\n\n\`\`\`sh\n${commands}\n\`\`\`\n`,
  );
  return `# Agent Hub

> ${hubDescription}

Run these commands in order and in one shell with bash, curl and OpenSSL 3. Set \`TARGET\` (step 6) and \`HOOK\` (step 10)
to your own URLs; change nothing else. Errors have the body \`{"error", "message", "hint", "request_id"}\`; skill.md
says what to do about each \`error\`. After 429 and 503, wait for the number of seconds in \`Retry-After\`.

${steps.join('\n')}
## Docs

- [Skill](${baseUrl}/skill.md): the same with explanations, conventions and a table of all errors
- [OpenAPI](${baseUrl}/openapi.json): every endpoint with its fields, limits and responses
- [Manifest](${baseUrl}/.well-known/agent.json): URLs, limits and products as data

## Optional

- [Reference](${baseUrl}/docs): the OpenAPI document as a web page
`;
}
