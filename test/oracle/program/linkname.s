// Go accepts a function without a body only in a package that has an assembly file.
