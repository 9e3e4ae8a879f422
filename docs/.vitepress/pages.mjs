/** Every page of the site, in the order of its menu. A test holds that none is missing and that each is there. */
export const sections = [
	{
		title: 'Start',
		pages: [
			['Overview', 'index.md'],
			['Install', 'start/install.md'],
			['The first five minutes', 'start/first-minutes.md'],
			['The built-in models', 'start/built-in-models.md'],
			['Pictures', 'start/pictures.md'],
		],
	},
	{
		title: 'Guides',
		pages: [
			['In the editor', 'editor.md'],
			['Chat', 'guides/chat.md'],
			['Chat over HTTP', 'chat.md'],
			['Translation', 'translation.md'],
			['Transcription', 'transcription.md'],
			['Models', 'models.md'],
			['Processors and GPUs', 'devices.md'],
			['Batches', 'guides/batches.md'],
			['Offline', 'guides/offline.md'],
			['Proxies and certificates', 'guides/proxies.md'],
		],
	},
	{
		title: 'Connect',
		pages: [
			['Overview', 'connect/index.md'],
			['Libraries', 'connect/libraries.md'],
			['Editors and chat programs', 'connect/editors.md'],
			['Agents', 'connect/agents.md'],
			['Shells', 'connect/shell.md'],
		],
	},
	{
		title: 'Team server',
		pages: [
			['Step by step', 'team/tutorial.md'],
			['Sign-in providers', 'team/providers.md'],
			['How it works', 'team-server.md'],
			['Scale', 'scale.md'],
		],
	},
	{
		title: 'Operate',
		pages: [
			['Run a server', 'operate/run.md'],
			['Upgrade, back up, remove', 'operate/upgrade.md'],
			['What is kept', 'data.md'],
			['Systems', 'systems.md'],
			['Threat model', 'threat-model.md'],
		],
	},
	{
		title: 'Reference',
		pages: [
			['Command line', 'reference/command-line.md'],
			['HTTP interface', 'api.md'],
			['Errors', 'reference/errors.md'],
			['Settings of the extension', 'reference/settings.md'],
			['Commands of the extension', 'reference/commands.md'],
			['Environment variables', 'reference/environment.md'],
			['Settings of the gateway', 'reference/auth-json.md'],
			['JSON-RPC', 'reference/json-rpc.md'],
			['Models of the catalogue', 'reference/catalogue.md'],
		],
	},
	{
		title: 'Explain',
		pages: [
			['Architecture', 'architecture.md'],
			['Privacy', 'explain/privacy.md'],
			['Comparison', 'explain/comparison.md'],
			['Decisions', 'adr/README.md'],
		],
	},
	{
		title: 'Help',
		pages: [
			['Troubleshooting', 'help/troubleshooting.md'],
			['Questions', 'help/faq.md'],
			['Glossary', 'glossary.md'],
		],
	},
];
