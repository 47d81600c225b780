import FuzzDriver
import Glibc

exit(fuzz(fuzzOne))
