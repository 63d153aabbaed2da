/**
 * Markup that takes effect wherever a page does not escape it, and a listener that records the requests it
 * causes.
 */

export interface Canary {
  /** Ends with a slash. */
  readonly url: string;
  /** The requested paths so far. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export function startCanary(): Canary {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
      return new Response('window.owned = true;', { headers });
    },
  });
  return { url: server.url.href, asked, stop: () => server.stop(true) };
}

export interface HostileText {
  readonly text: string;
  /** Whether a page that shows it unescaped visibly reacts without a click. */
  readonly fires: boolean;
}

/** One line each, so that every field accepts them; short ones first. */
export function hostileTexts(canary: string): readonly HostileText[] {
  const own = 'window.owned=1';
  const fires = (text: string): HostileText => ({ text, fires: true });
  /**
   * For contexts other than HTML text: attributes, scripts, styles, links, templates, Markdown, XML,
   * calendars.
   */
  const elsewhere = (text: string): HostileText => ({ text, fires: false });
  return [
    fires(`<script>${own}</script>`),
    fires(`<script src=${canary}s></script>`),
    fires(`<img src=x onerror=${own}>`),
    fires(`<img src=${canary}i>`),
    fires(`<svg onload=${own}>`),
    fires(`<svg><script>${own}</script></svg>`),
    fires(`<iframe srcdoc="<script>parent.owned=1</script>"></iframe>`),
    fires(`<iframe src="javascript:parent.owned=1"></iframe>`),
    fires(`<link rel=stylesheet href=${canary}l>`),
    fires(`<style>@import '${canary}c';</style>`),
    fires(`<div style="background:url(${canary}b)">x</div>`),
    fires(`<details open ontoggle=${own}><summary>x</summary></details>`),
    fires(`<input autofocus onfocus=${own}>`),
    fires(`<video src=${canary}v onerror=${own}></video>`),
    fires(`<object data=${canary}o></object>`),
    fires(`</script><script>${own}</script>`),
    fires(`</title></style></textarea></pre></details><img src=x onerror=${own}>`),
    fires(`--><img src=x onerror=${own}>`),
    // Keep this last: it navigates away and interrupts the next page to be opened.
    fires(`<meta http-equiv=refresh content="0;url=${canary}r">`),
    elsewhere(`<math><mtext><table><mglyph><style><img src=x onerror=${own}>`),
    elsewhere(`"><img src=x onerror=${own}>`),
    elsewhere(`' onmouseover='${own}' autofocus onfocus='${own}`),
    elsewhere(`";${own};//`),
    elsewhere(`\`\${${own}}\`{{constructor.constructor('${own}')()}}`),
    elsewhere(`javascript:${own}//`),
    elsewhere(`java&#115;cript:${own}`),
    elsewhere(`&lt;script&gt;${own}&lt;/script&gt;`),
    elsewhere(`\\u003cscript\\u003e${own}\\u003c/script\\u003e`),
    elsewhere(`\uff1cscript\uff1e${own}\uff1c/script\uff1e`),
    elsewhere(`+ADw-script+AD4-${own}+ADw-/script+AD4-`),
    elsewhere(`[x](javascript:${own}) ![x](${canary}m)`),
    elsewhere(`<![CDATA[<script>${own}</script>]]>`),
    elsewhere(`%3Cscript%3E${own}%3C/script%3E`),
    elsewhere(`\u202e<base href=${canary}>\u2066`),
    elsewhere(`}</style><style>*{background:url(${canary}y)}`),
    elsewhere('__proto__'),
    elsewhere('{"__proto__":{"owned":1}}'),
  ];
}
