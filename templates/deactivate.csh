# condagpu @VERSION@ made this file from @INPUTS@.
# To change what it does, change condagpu.yml and run condagpu init; a change here is overwritten.
# It reads the state that activation left and nothing else; without that state it does nothing. Builtins only.
@include undo.csh@
