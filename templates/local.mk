templatesdir = $(pkgdatadir)/templates
dist_templates_DATA = \
	templates/activate.sh templates/deactivate.sh templates/undo.sh \
	templates/activate.fish templates/deactivate.fish templates/undo.fish
