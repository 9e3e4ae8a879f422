/** The blocks of the documents that no test runs, page by page, and why: a block that is not here is run, or fails. */

/** What a test does not have, and why: the commands of these blocks are compared with the command line all the same. */
export const reasons: Readonly<Record<string, string>> = {
	archives: 'the archives of a release; test/packages makes, installs and runs them',
	checkout: 'a fresh clone and its installation; the continuous integration does that',
	docker:
		'containers; test/deploy builds what is in the image, CI the image where there is a builder',
	editor: 'a desktop VS Code; the end-to-end tests install the same file in one of theirs',
	gpu: 'a graphics processor',
	machines: 'several machines; test/deploy runs the same file on one',
	clients: 'programs of others: test/docs/clients runs these blocks where they are installed',
	microphone: 'a microphone',
	model: 'a downloaded model',
	namespaces: 'a user namespace, which containers of continuous integration do not give',
	network: 'the model hub, the npm registry, or other machines',
	person: 'somebody who has signed in',
	provider: 'a sign-in provider',
	redis: 'a Redis with a password; test/gateway starts one',
	systemd: 'a session of systemd',
};

/** Of each page what its blocks need that are not run, in their order. */
export const notRun: Readonly<Record<string, readonly string[]>> = {
	'README.md': ['checkout', 'provider'],
	'docs/api.md': ['model', 'microphone'],
	'docs/connect/editors.md': ['clients', 'docker'],
	'docs/connect/libraries.md': ['clients'],
	'docs/devices.md': ['gpu', 'gpu', 'gpu', 'network'],
	'docs/guides/batches.md': ['model', 'machines'],
	'docs/guides/offline.md': ['archives', 'namespaces', 'namespaces'],
	'docs/models.md': ['network'],
	'docs/operate/run.md': ['systemd'],
	'docs/operate/upgrade.md': ['docker'],
	'docs/start/install.md': ['editor', 'archives', 'network', 'checkout', 'docker'],
	'docs/team-server.md': ['machines', 'person', 'redis', 'redis'],
	'docs/team/tutorial.md': ['docker', 'systemd', 'provider', 'provider'],
	'docs/transcription.md': ['model', 'network', 'microphone'],
	'docs/translation.md': ['model'],
};

/** Kinds of blocks in other languages that are read and not run, and what is done in place of it. */
export const readOnly: Readonly<Record<string, string>> = {
	powershell: 'parsed by its grammar; its request is sent, its pipe run by a shell of Unix',
	'powershell lines': 'parsed by its grammar, and by PowerShell where it is installed',
	python: 'parsed by Python where it is installed; the address in it answers a chat',
	'text diagram': 'a drawing of characters',
};
