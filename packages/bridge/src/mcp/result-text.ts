/** What a tool of an MCP server gave, as a text. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** characters of a result; a model reads no book in one answer */
const mostCharacters = 20_000;

/** Texts line by line; other content by its kind and address; a result of fields alone as JSON. */
export function resultText({ content = [], structuredContent }: CallToolResult): string {
  const texts = content.map(textOf);
  const text = texts.length === 0 && structuredContent ? JSON.stringify(structuredContent) : texts.join('\n');
  const more = text.length - mostCharacters;
  return more <= 0 ? text : `${text.slice(0, mostCharacters)}\n… ${more} more characters`;
}

function textOf(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case 'resource_link':
      return `[resource ${block.uri}]`;
    default:
      return `[${block.type} ${block.mimeType}]`;
  }
}
