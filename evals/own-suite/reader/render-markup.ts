/** Converts HTML and LaTeX to plain text and the few Markdown marks that the rest of the reader knows. */

const entities: Readonly<Record<string, string>> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&rarr;': '→',
  '&minus;': '−',
  '&mdash;': '—',
  '&ndash;': '–',
  '&amp;': '&',
};

const symbols: Readonly<Record<string, string>> = {
  '\\times': '×',
  '\\cdot': '×',
  '\\div': '÷',
  '\\to': '→',
  '\\rightarrow': '→',
  '\\Rightarrow': '⇒',
  '\\implies': '⇒',
  '\\therefore': '∴',
  '\\quad': ' ',
  '\\qquad': ' ',
  '\\left': '',
  '\\right': '',
  '\\displaystyle': '',
  '\\colon': ':',
  '\\checkmark': '✓',
  '\\langle': '(',
  '\\rangle': ')',
  '\\approx': '≈',
  '\\neq': '≠',
  '\\pm': '±',
};

const styled =
  /\\(?:text|mathrm|mathbf|textbf|mathit|textit|texttt|mathtt|textsf|mathsf|operatorname|emph|underline|mbox|bm|boldsymbol|textrm|mathnormal|textnormal)\{((?:[^{}]|\{[^{}]{0,4000}\}){0,4000})\}/g;

/** Struck-out text has been retracted. */
const struck = /~~[^~\n]{1,200}~~/g;

/** A single dollar sign is a unit and stays. */
const mathematics = /\${1,2}(?![ $])([^$\n]{1,2000})(?<! )\${1,2}(?!\d)/g;

export function renderMarkup(text: string): string {
  return renderLatex(renderHtml(text))
    .replaceAll('{,}', ',')
    .replaceAll(struck, '')
    .replaceAll(mathematics, '$1');
}

function renderHtml(text: string): string {
  if (!/[<&]/.test(text)) return text;
  return text
    .replaceAll(/<!--[^<>]{0,500}-->/g, '')
    .replaceAll(/<(s|del|strike)>[^<>]{0,200}<\/\1>/gi, '')
    .replaceAll(/<(?:li|dd|item)(?: [^<>\n]{0,200})?>/gi, '\n- ')
    .replaceAll(/<\/?(?:b|strong)(?: [^<>\n]{0,200})?>/gi, '**')
    .replaceAll(/<\/?(?:code|kbd|samp|tt)(?: [^<>\n]{0,200})?>/gi, '`')
    .replaceAll(
      /<\/?(?:br|p|div|tr|h[1-6]|ul|ol|table|thead|tbody|html|body|main|section|article|blockquote|pre|details|summary|header|footer|li|dd|dl|item|items|list|hr|center)(?: [^<>\n]{0,200})?\/?>/gi,
      '\n',
    )
    .replaceAll(
      /<\/?(?:i|em|u|mark|span|small|big|font|a|sub|q|td|th|dt|label|time|data|var|cite|ins)(?: [^<>\n]{0,200})?>/gi,
      ' ',
    )
    .replaceAll(
      /&(?:nbsp|lt|gt|quot|apos|rarr|minus|mdash|ndash|amp);/g,
      (entity) => entities[entity] ?? entity,
    )
    .replaceAll(/&#(\d{2,5});/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function renderLatex(text: string): string {
  if (!text.includes('\\')) return text;
  let rendered = text;
  for (let round = 0; round < 3; round += 1) rendered = rendered.replaceAll(styled, '$1');
  return rendered
    .replaceAll(/\\[()]/g, '')
    .replaceAll(/\\[[\]]/g, '\n')
    .replaceAll(/\\(?:begin|end)\{[a-z*]{1,20}\}/g, '\n')
    .replaceAll(/\\item\b/g, '\n- ')
    .replaceAll(/\\[,;: ]/g, ' ')
    .replaceAll(/\\!/g, '')
    .replaceAll(/\\[A-Za-z]{1,14}/g, (command) => symbols[command] ?? command)
    .replaceAll(/\\([*_.#>{}%&~`+-])/g, '$1')
    .replaceAll(/\\\\?$/gm, '');
}
