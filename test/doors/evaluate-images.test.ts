/** `evaluate` sends the images that a suite names, and no other file, and programs read them, in both languages. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { png, pngUrl } from '#test/harness/images.ts';

const suiteWith = (image: string) => `suite: 1
name: pictures
cases:
  - id: cat
    messages: [{ role: user, content: What is it?, images: ['${image}'] }]
    expect: [{ equals: one image }]
  - { id: plain, prompt: Say hello., expect: [{ equals: hello }] }
`;
/** Says hello to a text, and counts the images of a case. */
const counting = `import json, sys
asked = sys.stdin.read()
if not asked.startswith("{"):
    print("hello")
else:
    [message] = json.loads(asked)["messages"]
    print("one image" if message["images"] == ["${pngUrl}"] else "another")
`;
const serving = `import json, sys
for line in sys.stdin:
    case = json.loads(line)
    images = case["messages"][-1].get("images", [])
    text = "one image" if images == ["${pngUrl}"] else "hello"
    print(json.dumps({"case_id": case["case_id"], "text": text}), flush=True)
`;
const promptfoo = `prompts: [file://chat.json]
providers: [x]
tests:
  - vars: { photo: file://cat.png }
    assert: [{ type: equals, value: one image }]
`;
const chat = JSON.stringify([
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'cat.png' } },
    ],
  },
]);

const { doors, evaluate } = useEvaluateDoors({
  'suite/cat.png': png,
  'suite/suite.yaml': suiteWith('cat.png'),
  'suite/counting.py': counting,
  'suite/serving.py': serving,
  'suite/promptfoo.yaml': promptfoo,
  'suite/chat.json': chat,
});
beforeAll(() => symlink('/etc/passwd', join(doors.folder, 'suite/link.png')));

describe.each(languages)('the %s package', (language) => {
  const at = (name: string) => join(doors.folder, 'suite', name);
  const start = (...words: readonly string[]) => evaluate(language, words);

  test('says how many cases have images, and hands them to the program as JSON', async () => {
    const words = ['--suite-file', at('suite.yaml'), '--min-pass', '1'];
    const ran = await start(...words, '--cmd', `python3 ${at('counting.py')}`);
    expect(ran.complaints).toContain(
      '1 of 2 cases have images. The program reads these cases as JSON.\nRun ',
    );
    expect([ran.printed, ran.exitCode]).toEqual([expect.stringContaining('2 of 2 cases passed'), 0]);
    const served = await start(...words, '--cmd', `python3 ${at('serving.py')}`, '--serve');
    expect(served.complaints).not.toContain('have images');
    expect(served.exitCode).toBe(0);
  });

  test('takes in the images of a configuration of promptfoo', async () => {
    const words = ['--import', at('promptfoo.yaml'), '--min-pass', '1'];
    const ran = await start(...words, '--cmd', `python3 ${at('counting.py')}`);
    expect([ran.complaints, ran.exitCode]).toEqual([expect.stringContaining('version 1 is published'), 0]);
  });

  test('sends no file from elsewhere', async () => {
    const outside = ['../../../../../../etc/passwd', '/etc/passwd', 'link.png'];
    for (const image of outside) {
      await doors.write('suite/odd.yaml', suiteWith(image));
      const ran = await start('--suite-file', at('odd.yaml'), '--cmd', 'cat');
      expect([ran.complaints, ran.exitCode]).toEqual([
        expect.stringContaining('which is no file beside the suite'),
        2,
      ]);
    }
  });
});
