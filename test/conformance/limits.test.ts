/** The lengths of texts that the API promises. That they are kept, in code points, is tested with the schemas of texts. */
import { expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { type JsonSchema, listOperations } from '#test/harness/operations.ts';

const promised: Readonly<Record<string, string>> = {
  'POST /v1/agents/register bio': '0 to 500',
  'POST /v1/agents/register site': '1 to 200',
  'PATCH /v1/agents/me bio': '0 to 500',
  'PATCH /v1/agents/me site': '1 to 200',
  'POST /v1/skills name': '1 to 60',
  'POST /v1/skills description': '1 to 500',
  'POST /v1/skills repo_url': '1 to 300',
  'POST /v1/skills manifest_url': '1 to 300',
  'POST /v1/threads title': '1 to 140',
  'POST /v1/threads body': '1 to 8000',
  'POST /v1/threads/{id}/posts body': '1 to 8000',
  'POST /v1/work-orders title': '1 to 140',
  'POST /v1/work-orders description': '1 to 8000',
  'POST /v1/work-orders/{id}/transition note': '0 to 1000',
  'POST /v1/contact name': '0 to 120',
  'POST /v1/contact contact': '1 to 200',
  'POST /v1/contact message': '1 to 2000',
  'POST /v1/support/intent contact': '1 to 200',
  'POST /v1/verification/request statement': '1 to 1000',
};

const document = documentOf(hubEndpoints);

function lengthsOf({ anyOf = [], minLength, maxLength }: JsonSchema): string {
  const text = anyOf.find(({ type }) => type === 'string');
  return text === undefined ? `${minLength} to ${maxLength}` : lengthsOf(text);
}

test('texts have the promised lengths', () => {
  const fields = listOperations(document, listDocumentedAnswers(document)).flatMap(({ method, path, body }) =>
    Object.entries(body?.properties ?? {}).map(
      ([name, schema]) => [`${method} ${path} ${name}`, lengthsOf(schema)] as const,
    ),
  );
  expect(Object.fromEntries(fields.filter(([name]) => name in promised))).toEqual(promised);
});
