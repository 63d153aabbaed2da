/** `text` with a capital letter and a full stop. */
export function sentence(text: string): string {
  return `${capital(text)}.`;
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
