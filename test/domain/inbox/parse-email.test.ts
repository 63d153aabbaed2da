/** Parsing email: header forms, texts, attachments and hostile input. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { htmlToText, parseEmail } from '#domain/inbox/parse-email.ts';
import {
  attachmentsListedMax,
  emailHeaderLengthMax,
  emailTextLengthMax,
  recipientsLengthMax,
} from '#domain/inbox/inbox-limits.ts';

const emoji = '\u{1f600}';

function mail(...lines: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]));
}

/** An email that offers the same as plain text and as HTML. */
const alternatives = (plain: string) =>
  mail(
    'From: a@b.c',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    `--b\r\n${plain}`,
    '--b\r\nContent-Type: text/html\r\n\r\n<p>rich</p>',
    '--b--',
  );

test('a plain email is read unchanged', async () => {
  const raw = mail(
    'From: ada@example.org',
    'To: hub@hub.test',
    'Subject: Hi',
    'Message-ID: <1@x>',
    '',
    'A',
    '\tB',
  );
  expect(await parseEmail(raw)).toEqual({
    messageId: '<1@x>',
    sender: 'ada@example.org',
    recipients: 'hub@hub.test',
    subject: 'Hi',
    text: 'A\n\tB',
    attachments: [],
  });
});

test.each([
  ['Ada <ada@example.org>', 'Ada <ada@example.org>'],
  ['"Lovelace, Ada" <ada@example.org>', '"Lovelace, Ada" <ada@example.org>'],
  ['ada@example.org (Ada)', 'Ada <ada@example.org>'],
  ['=?utf-8?q?Gr=C3=B6=C3=9Fe?= <g@example.org>', 'Größe <g@example.org>'],
  ['=?iso-8859-1?Q?Gr=F6=DFe?= <g@example.org>', 'Größe <g@example.org>'],
  ['=?utf-8?b?RXZlLCBib3NzIDxib3NzQGh1Yi50ZXN0Pg==?= <e@x.org>', '"Eve, boss <boss@hub.test>" <e@x.org>'],
  ['Ada\r\n Lovelace\r\n <ada@example.org>', 'Ada Lovelace <ada@example.org>'],
  ['Ada', 'Ada'],
])('the sender %j is shown as %s', async (given, shown) => {
  expect((await parseEmail(mail(`From: ${given}`, '', 'x'))).sender).toBe(shown);
});

test('several recipients and groups are shown in one line', async () => {
  const to = 'To: Team: a@x.org, "B, C" <b@x.org>;, z@x.org,\r\n ada@x.org';
  const { recipients } = await parseEmail(mail(to, 'From: x@y.z', '', 'x'));
  expect(recipients).toBe('Team: a@x.org, "B, C" <b@x.org>;, z@x.org, ada@x.org');
});

test('text is decoded from every encoding and charset', async () => {
  const bodies: [string[], Uint8Array | string][] = [
    [['Content-Type: text/plain; charset=iso-8859-1'], Buffer.from('Größe', 'latin1')],
    [['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'], 'R3LDtsOfZQ=='],
    [
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
      'Gr=C3=B6=C3=9Fe',
    ],
    [['Content-Type: text/plain; charset=utf-8; format=flowed'], 'Größe'],
    [['Content-Type: text/plain; format="flowed"; charset=iso-8859-1'], Buffer.from('Größe', 'latin1')],
  ];
  for (const [head, body] of bodies) {
    expect((await parseEmail(mail('From: a@b.c', ...head, '', body))).text).toBe('Größe');
  }
});

test('flowed lines are joined within their quote only, and never with a signature', async () => {
  const body = [
    '> A question over ',
    '> two lines? ',
    'The answer is ',
    'here. ',
    '-- ',
    'Ada ',
    'Lovelace',
    ' >no quote',
    '>> deeper ',
    '> quote ',
  ].join('\r\n');
  const flowed = 'Content-Type: text/plain; charset=utf-8;\r\n format=flowed';
  expect((await parseEmail(mail('From: a@b.c', flowed, '', body))).text).toBe(
    '> A question over two lines? \nThe answer is here. \n-- \nAda Lovelace\n>no quote\n>> deeper \n> quote',
  );
  const thai = 'Content-Type: text/plain; format="Flowed"; DelSp=yes';
  expect((await parseEmail(mail('From: a@b.c', thai, '', 'one \r\ntwo'))).text).toBe('onetwo');
  // What a fixed text says of headers stays.
  const quoted = 'Content-Type: text/plain; format=flowed\r\nx \r\ny';
  expect((await parseEmail(mail('From: a@b.c', '', quoted))).text).toBe(quoted.replaceAll('\r', ''));
  const parts = alternatives(`${flowed}\r\n\r\n> a \r\nb \r\nc`);
  expect((await parseEmail(parts)).text).toBe('> a \nb c');
});

test('each part of an email is joined by its own format', async () => {
  const typed = (type: string, ...body: readonly string[]) =>
    ['--b', `Content-Type: ${type}`, ...body].join('\r\n');
  const raw = mail(
    'From: a@b.c',
    'Subject: On ; format=flowed',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    typed('text/plain', '', 'fixed \r\nlines', '-- ', 'Ada ', 'Lovelace', '', 'p.s. ', 'fixed'),
    typed('text/plain; format=flowed', '', 'flowed ', 'lines', '-- ', 'Ada', '', 'p.s. ', 'flowed'),
    typed('text/plain; format=flowed; delsp=yes', 'Content-Transfer-Encoding: base64', '', 'b25lIA0KdHdv'),
    typed(
      'text/plain; charset=utf-16le; format=flowed',
      'Content-Transfer-Encoding: base64',
      '',
      'dwBpAGQAZQA=',
    ),
    '--b\r\n\r\nbare \r\ntext',
    typed('text/html; format=flowed', '', '<pre>a \r\nb</pre>'),
    typed('text/plain; format=flowed', 'Content-Disposition: attachment', '', 'as it is'),
    '--b--',
  );
  const { subject, text, attachments } = await parseEmail(raw);
  expect(subject).toBe('On ; format=flowed');
  expect(text).toBe(
    'fixed \nlines\n-- \nAda \nLovelace\n\np.s. \nfixed\n\n' +
      'flowed lines\n-- \nAda\n\np.s. flowed\n\nonetwo\nwide\nbare \ntext\n\na b',
  );
  expect(attachments).toEqual([{ filename: null, contentType: 'text/plain', size: 9 }]);
});

test('an empty plain part gives way to the HTML part, whatever its format', async () => {
  const raw = alternatives('Content-Type: text/plain; format=flowed\r\n\r\n \r\n');
  expect((await parseEmail(raw)).text).toBe('rich');
});

test('an HTML-only email is reduced to its readable text', async () => {
  const html = `<html><head><title>No</title><style>p{}</style></head><body><h1>Head</h1><p>One <b>two</b><br>three &amp; &lt;b&gt;
    <script>alert(1)</script><!-- no --></p><ul><li>a<li>b</ul><table><tr><td>x</td><td>y</td></tr></table>${emoji}</body>`;
  const { text } = await parseEmail(mail('From: a@b.c', 'Content-Type: text/html; charset=utf-8', '', html));
  expect(text).toBe(`Head\n\nOne two\nthree & <b>\n\na\n\nb\n\nx y\n\n${emoji}`);
});

test('the plain text is preferred when an email has both', async () => {
  const raw = alternatives('Content-Type: text/plain\r\n\r\nplain');
  expect((await parseEmail(raw)).text).toBe('plain');
});

test('attachments are listed with name, type and decoded size', async () => {
  const parts = (count: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="../${i}.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=`,
    );
  const head = ['From: a@b.c', 'Content-Type: multipart/mixed; boundary=b', ''];
  const text = '--b\r\nContent-Type: text/plain\r\n\r\nSee attached.';
  const { attachments, text: read } = await parseEmail(mail(...head, text, ...parts(2), '--b--'));
  expect([read, attachments]).toEqual([
    'See attached.',
    [0, 1].map((i) => ({ filename: `../${i}.pdf`, contentType: 'application/pdf', size: 5 })),
  ]);
  const many = await parseEmail(mail(...head, text, ...parts(attachmentsListedMax + 1), '--b--'));
  expect(many.attachments).toHaveLength(attachmentsListedMax);
});

test('long texts are truncated in code points and marked', async () => {
  const fits = await parseEmail(
    mail('From: a@b.c', `Subject: ${'s'.repeat(emailHeaderLengthMax)}`, '', emoji.repeat(emailTextLengthMax)),
  );
  expect([fits.subject, fits.text]).toEqual([
    's'.repeat(emailHeaderLengthMax),
    emoji.repeat(emailTextLengthMax),
  ]);
  const cut = await parseEmail(
    mail(
      `From: ${'f'.repeat(emailHeaderLengthMax)}@b.c`,
      `To: ${'someone@example.org, '.repeat(400)}`,
      `Subject: ${'s'.repeat(emailHeaderLengthMax + 1)}`,
      '',
      emoji.repeat(emailTextLengthMax + 1),
    ),
  );
  for (const [part, most] of [
    [cut.sender, emailHeaderLengthMax],
    [cut.recipients, recipientsLengthMax],
    [cut.subject, emailHeaderLengthMax],
    [cut.text, emailTextLengthMax],
  ] as const)
    expect(Array.from(part)).toHaveLength(most);
  expect(cut.text).toEndWith(`${emoji}\n[The rest of this email was cut off.]`);
  expect(cut.subject).toEndWith('s…');
});

test('control characters, NUL and lone surrogates are removed', async () => {
  const raw = mail(
    'From: a@b.c',
    'Subject: =?utf-8?q?a=00b=0D=0ABcc:_x=E2=80=A8y=1B?=',
    '',
    'a\u0000b\u001bc\u0085d\re',
  );
  const { subject, text } = await parseEmail(raw);
  expect([subject, text]).toEqual(['a b Bcc: x y', 'abcd\ne']);
});

test('an email that is not valid MIME is kept as plain text with its own headers', async () => {
  const level = (i: number) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`;
  const nested = Array.from({ length: 100 }, (_, i) => level(i));
  const deep = await parseEmail(
    Buffer.from(`From: a@b.c\r\nSubject: Deep\r\nMessage-ID: <d@x>\r\n${nested.join('')}end`),
  );
  expect([deep.sender, deep.subject, deep.messageId]).toEqual(['a@b.c', 'Deep', '<d@x>']);
  expect(deep.text).toContain('boundary=b99');
  const borders = await parseEmail(
    Buffer.from(
      `Subject: Many\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${'--x\r\n\r\n'.repeat(1_000_000)}`,
    ),
  );
  expect([borders.subject, borders.attachments]).toEqual(['Many', []]);
  const lines = await parseEmail(Buffer.from(`Subject: Lines\r\n\r\n${'\n'.repeat(400_000)}end`));
  expect([lines.subject, lines.text]).toEqual(['Lines', 'Subject: Lines']);
  const head = await parseEmail(Buffer.from(`${'X-Long: header\r\n'.repeat(50_000)}\r\ntext`));
  expect(head.text).toStartWith('X-Long: header\n');
  expect((await parseEmail(Buffer.from('no mail at all'))).text).toBe('no mail at all');
  const cutOff = mail(
    'From: a@b.c',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'half',
  );
  expect((await parseEmail(cutOff)).text).toBe('half');
});

test('no input makes the parser fail, and its result can always be stored and sent', async () => {
  const piece = fc.oneof(
    fc.constantFrom('From: ', 'To: ', 'Subject: ', '\r\n', '\r\n\r\n', '--b', '--b--'),
    fc.constantFrom('=?utf-8?q?', '?=', '<a@b>', ',', ';', '"', '\0'),
    fc.constantFrom(
      'Content-Type: multipart/mixed; boundary=b\r\n',
      'Content-Type: text/html\r\n',
      'Content-Transfer-Encoding: base64\r\n',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc.array(piece, { minLength: 1, maxLength: 30 }).map((parts) => Buffer.from(`${parts.join('')}.`)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (raw) => {
      const email = await parseEmail(raw);
      const texts = [email.sender, email.recipients, email.subject, email.text, email.messageId ?? ''];
      for (const text of texts) {
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\0');
      }
    }),
    { numRuns: 500 },
  );
});

test('hostile HTML is parsed in bounded time', () => {
  for (const piece of ['<', '<a href="', '<b><i>', '<!--', '&', '<div>', '<table>', '<script>', '</p>']) {
    expect(typeof htmlToText(piece.repeat(2_000_000 / piece.length))).toBe('string');
  }
});

test('a long plain text beside HTML is not rendered as HTML, which nobody would read', async () => {
  const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}`;
  const head = ['From: a@b.c', 'Content-Type: multipart/mixed; boundary=b', ''];
  const raw = mail(...head, part('text/plain', '<'.repeat(9_900_000)), part('text/html', 'x'), '--b--');
  const { user: before } = process.cpuUsage();
  const { sender, text } = await parseEmail(raw);
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(600);
  expect([sender, text.length]).toEqual(['a@b.c', emailTextLengthMax]);
});
