-- Opens a file, asks the language server what it offers and writes the answers as JSON lines.
local out = io.open(vim.env.NV_OUT, 'w')
local function tell(name, value)
	out:write(vim.json.encode({ name = name, value = value }) .. '\n')
	out:flush()
end
vim.cmd('edit ' .. vim.env.NV_FILE)
vim.bo.filetype = 'python'
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({
	name = 'nearglot',
	cmd = { vim.env.LSP_NODE, '--disable-warning=ExperimentalWarning', vim.env.LSP_SERVER, 'lsp', '--stdio' },
	root_dir = vim.fn.getcwd(),
	init_options = { translate = { targetLanguage = 'de', languages = { 'de', 'fr' } } },
	settings = { nearglot = { translate = { targetLanguage = 'de', languages = { 'de', 'fr' } } } },
})
vim.lsp.buf_attach_client(buffer, id)
vim.wait(60000, function()
	local client = vim.lsp.get_client_by_id(id)
	return client ~= nil and client.initialized
end, 50)
vim.lsp.buf_attach_client(buffer, id)
local function ask(method, params)
	for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}) do
		if answer.result then return answer.result end
		if answer.error then return { error = answer.error.message } end
	end
end
vim.api.nvim_win_set_cursor(0, { 1, 4 })
tell('hover', ask('textDocument/hover', vim.lsp.util.make_position_params()))
local params = vim.lsp.util.make_given_range_params({ 1, 0 }, { 2, 20 }, buffer)
params.context = { diagnostics = {} }
local actions = ask('textDocument/codeAction', params)
tell('titles', vim.tbl_map(function(action) return action.title end, actions))
local resolved = ask('codeAction/resolve', actions[1])
vim.lsp.util.apply_workspace_edit(resolved.edit, vim.lsp.get_client_by_id(id).offset_encoding)
tell('lines', vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
out:close()
vim.lsp.stop_client(id)
vim.wait(1000, function() return vim.lsp.get_client_by_id(id) == nil end, 50)
vim.cmd('qa!')
