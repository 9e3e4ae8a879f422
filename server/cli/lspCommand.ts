/** `nearglot lsp`: the language server an editor talks to, over stdio or the IPC channel of its parent. */

import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { daemonOfUser } from '../lsp/daemonOfUser.ts';
import { serveLanguageServer } from '../lsp/languageServer.ts';
import { documentAddress } from '../protocol/published.ts';
import { type Command, UsageError } from './command.ts';

const transports = ['--stdio', '--node-ipc'];

export const lspCommand: Command = {
	name: 'lsp',
	summary: 'Speak the language server protocol with an editor.',
	help: `
Usage: nearglot lsp --stdio | --node-ipc

Serves one editor window: hovers, code actions, commands, documents, reader mode and chat, all answered
by the model server of this user, which is started when it is first needed.
${documentAddress('editor.md')}
lists the commands, settings and initialization options.

  --stdio      requests on standard input, answers on standard output
  --node-ipc   requests over the channel of the Node process that started this one
`,
	run: async (args, io) => {
		if (!args.some((arg) => transports.includes(arg))) {
			throw new UsageError(`nearglot lsp needs one of ${transports.join(', ')}.`);
		}
		const connection = createConnection(ProposedFeatures.all);
		const ended = new Promise<void>((resolve) => {
			connection.onExit(() => resolve());
			io.signal.addEventListener('abort', () => resolve(), { once: true });
		});
		// An editor that has gone without a word; the library asks for its process alone, every few seconds.
		process.once('disconnect', () => process.exit(0));
		serveLanguageServer(connection, daemonOfUser(io.env));
		await ended;
		connection.dispose();
		return 0;
	},
};
