/** Schemes of documents the server follows; the text of others is sent along with each request. */

export const syncedSchemes = ['file', 'untitled', 'vscode-remote', 'vscode-vfs'] as const;
